//! Trials: a system translates a few lines, which determines how many lines make a round.
//!
//! A trial keeps nothing, so it reads no model to know its hash. A baseline that several candidates share is
//! tried once.

use std::collections::HashMap;

use dyno_measure::{Round, System, TestSet};
use dyno_record::{Host, Record, Times, Track};
use dyno_stats::{mean, median};

use super::cell::{Fault, interrupted, quick};
use crate::campaign::Campaign;
use crate::exit::Outcome;
use crate::interrupt::Stop;
use crate::runner::Runner;

/// Approximate time of a round: long against the resolution of clock and scheduler, and short enough for the
/// rounds of a pair to be close in time.
const ROUND_SECONDS: f64 = 1.0;
/// A launch lasts at least this many times its loading; otherwise the loading would hide a slower search.
const LOADS: f64 = 10.0;
/// Number of lines of the trial that determines the lines of a round.
const TRIAL_LINES: usize = 30;

/// Lines of a round, or the rule that the system broke.
type Lines = Result<usize, Fault>;

pub struct Trials {
    runner: Runner,
    /// Results by system, test set and track.
    known: HashMap<(String, String, Track), Lines>,
}

impl Trials {
    pub fn new(campaign: &Campaign, host: &Host, stop: &Stop) -> Outcome<Self> {
        let runner = Runner::new(None, &quick(campaign, Vec::new(), Vec::new()), host, stop)?;
        Ok(Self { runner, known: HashMap::new() })
    }

    /// Shortens `set` to the lines that `system` translates in a round of about a second. A set that takes
    /// less time stays whole.
    pub fn shorten(
        &mut self,
        system: &System,
        set: &TestSet,
        track: Track,
    ) -> Outcome<Result<TestSet, Fault>> {
        let key = (system.name.clone(), set.sha256.clone(), track);
        let lines = match self.known.get(&key) {
            Some(lines) => lines.clone(),
            None => {
                let lines = self.lines(system, &set.first(TRIAL_LINES), track)?;
                self.known.entry(key).or_insert(lines).clone()
            }
        };
        Ok(lines.map(|lines| set.first(lines)))
    }

    fn lines(&mut self, system: &System, trial: &TestSet, track: Track) -> Outcome<Lines> {
        let measured = self.runner.rounds(&[Round { system, test_set: trial, track, number: 0 }])?;
        let Some(measured) = measured.first() else { return Err(interrupted()) };
        Ok(Fault::of(&measured.record).map_or_else(|| Ok(lines_of_a_round(&measured.record)), Err))
    }
}

/// Number of lines of a round, from the record of a trial.
fn lines_of_a_round(trial: &Record) -> usize {
    let seconds = |ns: &[u64]| {
        let seconds: Vec<f64> = ns.iter().map(|&ns| ns as f64 / 1e9).collect();
        (mean(&seconds).unwrap_or(0.0), median(&seconds).unwrap_or(0.0))
    };
    let (line, wanted) = match &trial.times {
        None => return 1,
        Some(Times::Server { .. }) => return usize::MAX, // its runs repeat the set as often as they need
        Some(Times::Lockstep { latency_ns, .. }) => (seconds(latency_ns).0, ROUND_SECONDS),
        Some(Times::Pages { last_line_ns, .. }) => {
            let pages = last_line_ns.len() as f64;
            (seconds(last_line_ns).0 * pages / trial.lines.max(1) as f64, ROUND_SECONDS)
        }
        Some(Times::Launches(launches)) => {
            let (launch, load) = (seconds(&launches.ns).1, seconds(&launches.one_line_ns).1);
            ((launch - load) / trial.lines as f64, ROUND_SECONDS.max(LOADS * load))
        }
    };
    // The lower bound keeps all lines of a set whose line time is below the clock's resolution.
    ((wanted / line.max(1e-9)) as usize).max(1)
}
