//! Probes within a run: all of them before a system's first round, recognition again before its last round.

use std::collections::BTreeMap;

use dyno_measure::{Examined, Plan, Probe, Round, System};
use dyno_results::Store;

use super::measurement::Runner;
use crate::campaign::Campaign;
use crate::exit::Outcome;
use crate::progress::Progress;

/// Findings of the probes, by system. Findings of an interrupted part of the run stay valid.
pub(super) struct SystemFindings<'a> {
    campaign: &'a Campaign,
    known: BTreeMap<String, Vec<Examined>>,
}

impl<'a> SystemFindings<'a> {
    /// Reads the findings of an earlier part of the run, if the run is resumed.
    pub(super) fn new(campaign: &'a Campaign, store: &Store, is_resumed: bool) -> Outcome<Self> {
        let known = if is_resumed { store.verified()? } else { BTreeMap::new() };
        Ok(Self { campaign, known })
    }

    /// Findings about the system of `round`. Recognition is probed again before the last round, because the
    /// system may have stored the lines of earlier rounds by then.
    pub(super) fn of(
        &mut self,
        round: &Round<'_>,
        plan: &Plan,
        runner: &Runner,
        progress: &Progress,
    ) -> Outcome<Vec<Examined>> {
        let name = round.system.original();
        let probes = self.campaign.probes();
        self.ask(name, round.system, probes, plan, runner, progress)?;
        let mut found = self.known.get(name).cloned().unwrap_or_default();
        if round.number > 0 && round.number + 1 >= self.campaign.profile.rounds() {
            let again = format!("{name} before its last round");
            let recognition: Vec<Probe> =
                probes.iter().copied().filter(|&probe| probe == Probe::Recognition).collect();
            self.ask(&again, round.system, &recognition, plan, runner, progress)?;
            found.extend(self.known.get(&again).into_iter().flatten().cloned());
        }
        Ok(found)
    }

    fn ask(
        &mut self,
        name: &str,
        system: &System,
        probes: &[Probe],
        plan: &Plan,
        runner: &Runner,
        progress: &Progress,
    ) -> Outcome<()> {
        if self.known.contains_key(name) || probes.is_empty() {
            return Ok(());
        }
        progress.show(&format!("{name} · verify"), None);
        let mut examined = Vec::new();
        for (i, test_set) in plan.test_sets.iter().enumerate() {
            // Recognition depends on the test set, so it is probed with each set; the other probes need one
            // set.
            let wanted = |probe: &Probe| i == 0 || *probe == Probe::Recognition;
            let wanted: Vec<Probe> = probes.iter().copied().filter(wanted).collect();
            examined.extend(runner.examine(system, &plan.tracks, test_set, &wanted)?);
        }
        self.known.insert(name.to_owned(), examined);
        let (store, _) = runner.kept.as_ref().expect("this runner keeps its rounds");
        Ok(store.keep_verified(&self.known)?)
    }
}
