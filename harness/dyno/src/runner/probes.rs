//! Probes within a run: all of them before a system's first round, recognition again before its last round.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use dyno_measure::{Examined, Plan, Probe, Round, System, Track, Verdict};
use dyno_results::{Store, Verified};

use super::keeper::Keeper;
use super::pace::Pace;
use crate::campaign::Campaign;
use crate::exit::Outcome;
use crate::interrupt::Stop;
use crate::progress::Progress;

/// Findings of the probes, by system. Findings of an interrupted part of the run stay valid.
pub(super) struct SystemFindings<'a> {
    campaign: &'a Campaign,
    plan: &'a Plan,
    progress: &'a Progress,
    stop: &'a Stop,
    known: Verified,
}

impl<'a> SystemFindings<'a> {
    /// Reads the findings of an earlier part of the run, if the run is resumed.
    pub(super) fn new(
        campaign: &'a Campaign,
        plan: &'a Plan,
        (progress, stop): (&'a Progress, &'a Stop),
        resumed: Option<&Store>,
    ) -> Outcome<Self> {
        let known = resumed.map(Store::verified).transpose()?.unwrap_or_default();
        Ok(Self { campaign, plan, progress, stop, known })
    }

    /// Whether the probes of `system` have been asked.
    pub(super) fn has(&self, system: &System) -> bool {
        self.known.before_rounds.contains_key(system.original())
    }

    /// Findings about the system of `round`, from before its first round; `None` if the user stops meanwhile.
    pub(super) fn first(
        &mut self,
        round: &Round<'_>,
        keeper: &Keeper,
        pace: &mut Pace<'_>,
    ) -> Outcome<Option<Vec<Examined>>> {
        let probes = &self.campaign.protocol.probes;
        let found = self.once(|known| &mut known.before_rounds, round, probes, keeper, pace);
        pace.examined(round.system);
        found
    }

    /// Findings of recognition, which is probed again before the last round: the system may have stored the
    /// lines of earlier rounds by then. `None` if the user stops meanwhile.
    pub(super) fn last(
        &mut self,
        round: &Round<'_>,
        keeper: &Keeper,
        pace: &mut Pace<'_>,
    ) -> Outcome<Option<Vec<Examined>>> {
        if round.number == 0 || round.number + 1 < self.campaign.protocol.profile.rounds() {
            return Ok(Some(Vec::new()));
        }
        let again = |probe: &&Probe| **probe == Probe::Recognition;
        let again: Vec<Probe> = self.campaign.protocol.probes.iter().filter(again).copied().collect();
        self.once(|known| &mut known.before_last_round, round, &again, keeper, pace)
    }

    /// Findings in one part of the known ones, which are asked if they are missing there.
    fn once(
        &mut self,
        part: fn(&mut Verified) -> &mut BTreeMap<String, Vec<Examined>>,
        round: &Round<'_>,
        probes: &[Probe],
        keeper: &Keeper,
        pace: &mut Pace<'_>,
    ) -> Outcome<Option<Vec<Examined>>> {
        let name = round.system.original();
        if let Some(known) = part(&mut self.known).get(name) {
            return Ok(Some(known.clone()));
        }
        let Some(found) = self.ask(round.system, probes, keeper, pace)? else { return Ok(None) };
        part(&mut self.known).insert(name.to_owned(), found.clone());
        keeper.store.keep_verified(&self.known)?;
        Ok(Some(found))
    }

    fn ask(
        &self,
        system: &System,
        probes: &[Probe],
        keeper: &Keeper,
        pace: &mut Pace<'_>,
    ) -> Outcome<Option<Vec<Examined>>> {
        let name = system.original();
        if !probes.is_empty() {
            self.stop.begin("this probe", None);
            self.progress.show(&format!("{name} · probes"), pace.left());
        }
        let mut found = Vec::new();
        for (i, test_set) in self.plan.test_sets.iter().enumerate() {
            // Recognition depends on the test set, so it is probed with each set; the other probes need one
            // set.
            let wanted = |probe: &Probe| i == 0 || *probe == Probe::Recognition;
            let wanted: Vec<Probe> = probes.iter().copied().filter(wanted).collect();
            let tracks = self.open_tracks(system, &found, keeper);
            let mut watch = |probe: &Examined| self.watch(name, probe, pace);
            found.extend(keeper.runner.examine(system, &tracks, test_set, &wanted, &mut watch)?);
            let has_fault = found.iter().any(|probe| probe.verdict == Verdict::Invalid);
            if self.stop.is_wanted() || has_fault && self.stop.is_about_to_be_wanted() {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// Tracks of `system` that nothing `found` so far makes INVALID; all tracks if the run keeps going.
    fn open_tracks(&self, system: &System, found: &[Examined], keeper: &Keeper) -> Vec<Track> {
        let findings = || found.iter().flat_map(|probe| &probe.findings);
        let is_closed = |track| findings().any(|finding| finding.is_forbidden() && finding.concerns(track));
        let own = self.plan.tracks.iter().copied().filter(|&track| system.takes_part(track));
        own.filter(|&track| keeper.runner.keeps_going || !is_closed(track)).collect()
    }

    /// Tells the verdict of a probe at once.
    fn watch(&self, system: &str, probe: &Examined, pace: &mut Pace<'_>) -> ControlFlow<()> {
        pace.probed(probe.probe, system, probe.seconds);
        let (name, verdict) = (probe.probe.name(), probe.verdict);
        for finding in probe.findings.iter().filter(|finding| finding.is_forbidden()) {
            let (track, reason) = (finding.track, &finding.reason);
            let (code, figure) = (reason.code.name(), &reason.figure);
            let told = format!("{system} · {name}: INVALID {code} ({track}): {figure}; {}", reason.remedy);
            self.progress.note(&told);
        }
        if verdict != Verdict::Invalid {
            self.progress
                .log(&format!("{system} · {name}: {} {}", verdict.name(), probe.figure), pace.left());
        }
        if self.stop.is_wanted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
