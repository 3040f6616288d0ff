//! The probes within a run: asked before a system's first round, and in part again before its last.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::campaign::{Campaign, System, TestSet};
use crate::exit::Outcome;
use crate::plan::{Placement, Round};
use crate::progress::Progress;
use crate::random::fresh_seed;
use crate::rules::Probe;
use crate::store::{Store, read_json, write_json};
use crate::verify::{Examined, Examinee, examine};

/// What the probes said of each system: asked before its first round, in as far as the profile wants it. What
/// was found in an earlier part of the run still holds.
pub(super) struct Probed<'a> {
    campaign: &'a Campaign,
    placement: &'a Placement,
    path: PathBuf,
    known: BTreeMap<String, Vec<Examined>>,
    /// Of one system, early and late.
    all: Vec<Examined>,
}

impl<'a> Probed<'a> {
    /// Of an earlier part of the run, where there is one.
    pub(super) fn new(campaign: &'a Campaign, placement: &'a Placement, store: &Store) -> Outcome<Self> {
        let path = store.folder().join("verified.json");
        let known = read_json(&path)?.unwrap_or_default();
        Ok(Self { campaign, placement, path, known, all: Vec::new() })
    }

    /// What is known of `round`'s system. Recognition is asked again before its last round: a table may have been
    /// filled meanwhile, by what earlier rounds asked.
    pub(super) fn of(
        &mut self,
        round: &Round<'_>,
        store: &Store,
        progress: &Progress,
    ) -> Outcome<&[Examined]> {
        let name = round.system.original();
        let probes = self.campaign.probes();
        let recognition: Vec<Probe> =
            probes.iter().copied().filter(|&probe| probe == Probe::Recognition).collect();
        self.ask(name, round.system, probes, store, progress)?;
        if round.number == 0 || round.number + 1 < self.campaign.profile.rounds() {
            return Ok(self.known.get(name).map_or(&[], Vec::as_slice));
        }
        let again = format!("{name} before its last round");
        self.ask(&again, round.system, &recognition, store, progress)?;
        self.all =
            [name, &again].iter().filter_map(|&name| self.known.get(name)).flatten().cloned().collect();
        Ok(&self.all)
    }

    fn examine(
        &self,
        system: &System,
        test_set: &TestSet,
        probes: &[Probe],
        store: &Store,
    ) -> Outcome<Vec<Examined>> {
        let mut examinee = Examinee {
            system,
            tracks: self.campaign.tracks.clone(),
            test_set,
            placement: self.placement,
            limits: self.campaign.limits,
            scratch: &store.scratch(""),
            isolated: self.campaign.profile.isolates(),
            seed: fresh_seed(),
            pace: Cell::default(),
        };
        examine(&mut examinee, probes)
    }

    fn ask(
        &mut self,
        name: &str,
        system: &System,
        probes: &[Probe],
        store: &Store,
        progress: &Progress,
    ) -> Outcome<()> {
        if !self.known.contains_key(name) && !probes.is_empty() {
            progress.show(&format!("{name} · verify"), None);
            let mut examined = Vec::new();
            for (i, test_set) in self.campaign.test_sets.iter().enumerate() {
                // Whether a system knows a set is asked of each; the rest has nothing to do with which it is.
                let wanted = |probe: &Probe| i == 0 || *probe == Probe::Recognition;
                let wanted: Vec<Probe> = probes.iter().copied().filter(wanted).collect();
                examined.extend(self.examine(system, test_set, &wanted, store)?);
            }
            self.known.insert(name.to_owned(), examined);
            write_json(&self.path, &self.known)?;
        }
        Ok(())
    }
}
