//! Measurement of rounds and probes: the runner passes earlier results to each round, and the keeper keeps them in
//! memory and in the run's folder.
//!
//! The bench works on cores of its own, so that it never takes time from a system.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use dyno_measure::energy::Meter;
use dyno_measure::os::pin_thread;
use dyno_measure::process::ending::Ending;
use dyno_measure::process::lockstep::lockstep;
use dyno_measure::process::whole_file::whole_file;
use dyno_measure::{
    Bench, Earlier, Examined, Examinee, Measured, Round, System, TestSet, as_text, examine, measure_together,
    refuse,
};
use dyno_record::{Code, Host, Probe, Reason, Record, Track};
use dyno_results::{Run, Store};

use crate::campaign::{Campaign, MeterCommand};
use crate::exit::Outcome;
use crate::interrupt::Stop;
use crate::scratch::Scratch;

use super::guard::{Guard, warm};
use super::sandbox::{cost, sandbox_of};

/// Conditions of a measurement, and its results so far.
pub struct Runner {
    pub bench: Bench,
    /// Folder of the bench's scratch files, apart from the run's: a system sees its path.
    _scratch: Scratch,
    guard: Guard,
    /// All cores that this process may use.
    cores: Vec<usize>,
    /// Rounds and findings from before the next round.
    pub(super) earlier: Earlier,
    /// Whether systems that broke a rule are asked on.
    pub keeps_going: bool,
    pub stop: Stop,
}

/// Meter that the campaign names, else the host's own.
fn meter(campaign: &Campaign) -> Outcome<Option<Meter>> {
    match &campaign.meter {
        Some(MeterCommand { command, folder }) => Ok(Some(Meter::of_program(command, folder)?)),
        None => Ok(Meter::of_host()),
    }
}

impl Runner {
    /// Creates a runner without earlier results, whose systems must not see the folder of the `run`, if it has one.
    pub fn new(run: Option<&Path>, campaign: &Campaign, host: &Host, stop: &Stop) -> Outcome<Self> {
        let scratch = Scratch::create()?;
        let mut bench = Bench::new(host, campaign.cores, campaign.protocol.clone(), scratch.path())?;
        bench.meter = meter(campaign)?.map(Arc::new);
        bench.sandbox = sandbox_of(campaign, run.into_iter().chain([scratch.path()]))?;
        Ok(Self {
            bench,
            _scratch: scratch,
            guard: Guard::of(campaign),
            cores: host.cores.clone(),
            earlier: Earlier::default(),
            keeps_going: true,
            stop: stop.clone(),
        })
    }

    /// Measures the pipe floor, the shortest possible latency; records state it.
    pub fn measure_pipe_floor(&mut self) -> Outcome<()> {
        let cores = self.cores.clone();
        pin_thread(&self.bench.placement.bench)?;
        let measured = self.bench.measure_pipe_floor();
        pin_thread(&cores)?;
        Ok(measured?)
    }

    /// Measures and prints what the sandbox costs, if there is one.
    pub fn measure_sandbox(&self) -> Outcome<()> {
        if let Some((line_ns, launch_ns)) = self.pinned(|| cost(&self.bench))? {
            let (line_us, launch_ms) = (line_ns / 1e3, launch_ns / 1e6);
            say!(
                "sandbox: bwrap; the null system takes {line_us:+.1} µs a line and {launch_ms:+.1} ms a launch in it"
            );
        }
        Ok(())
    }

    /// Measures one round of each of several systems side by side.
    ///
    /// Nothing is told of rounds in which a system crashed while the user stopped the run: the signal may have
    /// ended the system.
    pub fn rounds(&mut self, group: &[Round<'_>]) -> Outcome<Vec<Measured>> {
        self.guard.check(None)?;
        warm(group.iter().map(|round| round.system));
        let measured = self.pinned(|| Ok(measure_together(&self.bench, group, &self.earlier)?))?;
        // Side by side, one system could have changed another's files.
        let alone = <&[Round<'_>; 1]>::try_from(group).ok();
        self.guard.check(alone.map(|[round]| round.system))?;
        let has_crashed =
            |one: &Measured| one.record.reasons.iter().any(|reason| reason.code == Code::Crashed);
        if measured.iter().any(has_crashed) && self.stop.is_about_to_be_wanted() {
            return Ok(Vec::new());
        }
        measured.iter().for_each(|one| self.earlier.add(&one.record, &one.answers));
        Ok(measured)
    }

    /// Runs `probes` on `system`, with lines of `test_set`. `watch` sees each result, and may end the
    /// examination.
    pub fn examine(
        &self,
        system: &System,
        tracks: &[Track],
        test_set: &TestSet,
        probes: &[Probe],
        watch: &mut dyn FnMut(&Examined) -> ControlFlow<()>,
    ) -> Outcome<Vec<Examined>> {
        let mut examinee = Examinee::new(&self.bench, system, tracks.to_vec(), test_set);
        examinee.keeps_going = self.keeps_going;
        self.pinned(|| Ok(examine(&mut examinee, probes, watch)?))
    }

    /// One launch of `system` over `lines` under `track`: the rules that it broke, and its ending.
    pub fn try_out(
        &self,
        system: &System,
        track: Track,
        lines: &[Vec<u8>],
    ) -> Outcome<(Vec<Reason>, Ending)> {
        let subject = self.bench.subject(system, track);
        self.pinned(|| {
            if track.answers_lines() {
                let asked = lockstep(&subject, lines)?;
                return Ok((asked.reasons, asked.ending));
            }
            let pass = whole_file(&subject, &as_text(lines), lines.len())?;
            Ok((pass.reasons, pass.ending))
        })
    }

    fn pinned<T>(&self, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        pin_thread(&self.bench.placement.bench)?;
        let done = work();
        pin_thread(&self.cores)?;
        done
    }
}

/// A runner with the run that it adds to.
pub struct Keeper {
    pub runner: Runner,
    pub store: Store,
    pub run: Run,
}

impl Keeper {
    /// Keeps rounds in `store`. The rounds of `run` count as earlier ones.
    pub fn new(campaign: &Campaign, host: &Host, store: Store, run: Run, stop: &Stop) -> Outcome<Self> {
        let mut runner = Runner::new(Some(store.folder()), campaign, host, stop)?;
        // Rounds of a cell mostly share an output, which is hashed as it is read.
        let mut by_output: BTreeMap<Option<&String>, Vec<&Record>> = BTreeMap::new();
        for record in &run.records {
            by_output.entry(record.output.as_ref()).or_default().push(record);
        }
        for (output, records) in by_output {
            let answers = output.map(|output| store.answers(output)).transpose()?.unwrap_or_default();
            records.into_iter().for_each(|record| runner.earlier.add(record, &answers));
        }
        Ok(Self { runner, store, run })
    }

    /// Measures and keeps one round of each of several systems side by side.
    pub fn rounds(&mut self, group: &[Round<'_>]) -> Outcome<Vec<Measured>> {
        let measured = self.runner.rounds(group)?;
        self.keep(&measured)?;
        Ok(measured)
    }

    /// Keeps the record of a round that isn't run, because its cell is INVALID already. `None` if the round is
    /// to be run.
    pub(super) fn refuse(&mut self, round: &Round<'_>) -> Outcome<Option<Record>> {
        let Runner { bench, earlier, keeps_going, .. } = &mut self.runner;
        let refused = if *keeps_going { None } else { refuse(bench, round, earlier)? };
        refused.iter().for_each(|one| earlier.add(&one.record, &one.answers));
        self.keep(refused.as_slice())?;
        Ok(refused.map(|refused| refused.record))
    }

    fn keep(&mut self, group: &[Measured]) -> Outcome<()> {
        self.store.keep(group)?;
        group.iter().for_each(|measured| self.run.add(measured.clone()));
        Ok(())
    }
}
