//! The runner: measures rounds and asks probes, remembers what they have shown, and keeps it where there is a store. It
//! drives run, gate, reproduce and verify alike.

mod campaign_run;
mod dry_run;
mod pace;
mod probed;

use std::path::Path;

use dyno_api::Breakdown;
use dyno_measure::os::{fresh_seed, pin_thread};
use dyno_measure::{
    Bench, Cell, Earlier, Examined, Examinee, Host, Measured, Probe, Record, Round, System, TestSet, Track,
    break_down, examine, measure,
};
use dyno_results::{Run, Store};

use crate::campaign::Campaign;
use crate::exit::Outcome;

pub use campaign_run::{Finished, Options, keep_price, run_campaign};
pub use dry_run::dry_run;

/// Conditions of a measurement, and what it has given so far.
pub struct Runner {
    bench: Bench,
    /// All cores that this process may use.
    cores: Vec<usize>,
    earlier: Earlier,
    kept: Option<(Store, Run)>,
}

impl Runner {
    /// A runner that keeps nothing.
    pub fn new(campaign: &Campaign, host: &Host, scratch: &Path) -> Outcome<Self> {
        let bench = Bench::new(host, campaign.cores, campaign.protocol(), scratch)?;
        Ok(Self { bench, cores: host.cores.clone(), earlier: Earlier::default(), kept: None })
    }

    /// A runner that keeps rounds in `store`. The rounds that `run` holds already count as earlier ones.
    pub fn keeping(campaign: &Campaign, host: &Host, store: Store, run: Run) -> Outcome<Self> {
        let mut runner = Self::new(campaign, host, &store.scratch())?;
        for record in &run.records {
            let answers = record.output.as_ref().map(|output| store.answers(output)).transpose()?;
            runner.earlier.add(record, &answers.unwrap_or_default());
        }
        runner.kept = Some((store, run));
        Ok(runner)
    }

    /// Measures the floor beneath every latency, which records name.
    pub fn measure_pipe_floor(&mut self) -> Outcome<()> {
        let cores = self.cores.clone();
        pin_thread(self.bench.placement.bench())?;
        let measured = self.bench.measure_pipe_floor();
        pin_thread(&cores)?;
        Ok(measured?)
    }

    /// Measures one round and keeps it. `examined` is what the probes have found about its system.
    pub fn round(&mut self, round: &Round<'_>, examined: Vec<Examined>) -> Outcome<Measured> {
        self.earlier.examined = examined;
        let measured = self.pinned(|| measure(&self.bench, round, &self.earlier))?;
        self.earlier.add(&measured.record, &measured.answers);
        if let Some((store, run)) = &mut self.kept {
            store.keep(&measured)?;
            run.add(measured.clone());
        }
        Ok(measured)
    }

    /// Asks `system` each of `probes` about lines of `test_set`.
    pub fn examine(
        &self,
        system: &System,
        tracks: &[Track],
        test_set: &TestSet,
        probes: &[Probe],
    ) -> Outcome<Vec<Examined>> {
        let mut examinee = Examinee {
            system,
            tracks: tracks.to_vec(),
            test_set,
            placement: &self.bench.placement,
            limits: self.bench.protocol.limits,
            scratch: &self.bench.scratch,
            isolated: self.bench.protocol.profile.isolates(),
            seed: fresh_seed(),
            pace: std::cell::Cell::default(),
        };
        self.pinned(|| examine(&mut examinee, probes))
    }

    /// Asks the system of `cell` where its time goes.
    pub fn break_down(&self, cell: &Cell<'_>) -> Outcome<Result<Option<Breakdown>, String>> {
        Ok(break_down(&self.bench, cell)?)
    }

    /// Runs `work` on the bench's own cores.
    fn pinned<T>(&self, work: impl FnOnce() -> dyno_measure::Result<T>) -> Outcome<T> {
        pin_thread(self.bench.placement.bench())?;
        let done = work();
        pin_thread(&self.cores)?;
        Ok(done?)
    }

    /// Everything that was kept.
    pub fn records(&self) -> &[Record] {
        self.kept.as_ref().map_or(&[], |(_, run)| &run.records)
    }

    /// The store and the run, once everything is measured.
    fn into_kept(self) -> Option<(Store, Run)> {
        self.kept
    }
}
