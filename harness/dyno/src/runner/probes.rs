//! Probes within a run: all of them before a system's first round, recognition again before its last round.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use dyno_measure::{Examined, Round, System};
use dyno_record::{Probe, Track, Verdict};
use dyno_results::Verified;

use super::pace::Pace;
use super::rounds::Rounds;
use crate::exit::Outcome;
use crate::interrupt::Stop;
use crate::progress::Progress;

impl Rounds<'_> {
    /// Asks the probes that are due before the first round of a system; false if the user stops meanwhile.
    pub(super) fn probe_first(&mut self, round: &Round<'_>) -> Outcome<bool> {
        let campaign = self.campaign;
        let is_asked =
            self.once(|known| &mut known.before_rounds, round.system, &campaign.protocol.probes)?;
        self.pace.examined(round.system);
        self.know(round.system, false);
        Ok(is_asked)
    }

    /// Asks recognition again before the last round: the system may have stored the lines of earlier rounds by then.
    /// False if the user stops meanwhile.
    pub(super) fn probe_last(&mut self, round: &Round<'_>) -> Outcome<bool> {
        let protocol = &self.campaign.protocol;
        if round.number == 0 || round.number + 1 < protocol.profile.rounds() {
            return Ok(true);
        }
        let mut again = protocol.probes.clone();
        again.retain(|probe| *probe == Probe::Recognition);
        let is_asked = self.once(|known| &mut known.before_last_round, round.system, &again)?;
        self.know(round.system, true);
        Ok(is_asked)
    }

    /// Sets what the runner knows about `system`: the findings from before the rounds, and from before the last one.
    fn know(&mut self, system: &System, is_last: bool) {
        let Verified { before_rounds, before_last_round } = &self.known;
        let parts = [Some(before_rounds), Some(before_last_round).filter(|_| is_last)];
        let found = parts.into_iter().flatten().filter_map(|part| part.get(system.original())).flatten();
        self.keeper.runner.earlier.know(system, found.cloned().collect());
    }

    /// Asks `probes` whose findings are missing in one part of the known ones.
    fn once(
        &mut self,
        part: fn(&mut Verified) -> &mut BTreeMap<String, Vec<Examined>>,
        system: &System,
        probes: &[Probe],
    ) -> Outcome<bool> {
        let name = system.original();
        if part(&mut self.known).contains_key(name) {
            return Ok(true);
        }
        let Some(found) = self.ask(system, probes)? else { return Ok(false) };
        part(&mut self.known).insert(name.to_owned(), found);
        self.keeper.store.keep_verified(&self.known)?;
        Ok(true)
    }

    fn ask(&mut self, system: &System, probes: &[Probe]) -> Outcome<Option<Vec<Examined>>> {
        let (name, plan, stop) = (system.original(), self.plan, self.keeper.runner.stop.clone());
        if !probes.is_empty() {
            stop.begin("this probe", None);
            self.progress.show(&format!("{name} · probes"), self.pace.left());
        }
        let mut found = Vec::new();
        for (i, test_set) in plan.test_sets.iter().enumerate() {
            // Recognition depends on the test set, so it is probed with each set; the other probes need one
            // set.
            let wanted = |probe: &Probe| i == 0 || *probe == Probe::Recognition;
            let wanted: Vec<Probe> = probes.iter().copied().filter(wanted).collect();
            let tracks = self.open_tracks(system, &found);
            let mut watch = |probe: &Examined| tell(probe, name, &mut self.pace, &self.progress, &stop);
            found.extend(self.keeper.runner.examine(system, &tracks, test_set, &wanted, &mut watch)?);
            let has_fault = found.iter().any(|probe| probe.verdict == Verdict::Invalid);
            if stop.is_wanted() || has_fault && stop.is_about_to_be_wanted() {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// Tracks of `system` that nothing `found` so far makes INVALID; all tracks if the run keeps going.
    fn open_tracks(&self, system: &System, found: &[Examined]) -> Vec<Track> {
        let findings = || found.iter().flat_map(|probe| &probe.findings);
        let is_closed = |track| findings().any(|finding| finding.is_forbidden() && finding.concerns(track));
        let own = self.plan.tracks.iter().copied().filter(|&track| system.takes_part(track));
        own.filter(|&track| self.keeper.runner.keeps_going || !is_closed(track)).collect()
    }
}

/// Tells the verdict of a probe at once.
fn tell(
    probe: &Examined,
    system: &str,
    pace: &mut Pace<'_>,
    progress: &Progress,
    stop: &Stop,
) -> ControlFlow<()> {
    pace.probed(probe.probe, system, probe.seconds);
    let (name, verdict) = (probe.probe.name(), probe.verdict);
    for finding in probe.findings.iter().filter(|finding| finding.is_forbidden()) {
        let (track, reason) = (finding.track, &finding.reason);
        let (code, figure) = (reason.code.name(), &reason.figure);
        let told = format!("{system} · {name}: INVALID {code} ({track}): {figure}; {}", reason.remedy);
        progress.note(&told);
    }
    if verdict != Verdict::Invalid {
        progress.log(&format!("{system} · {name}: {} {}", verdict.name(), probe.figure), pace.left());
    }
    if stop.is_wanted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
