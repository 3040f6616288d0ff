//! The gate: pairs of short rounds of a candidate and its baseline, in turns of the same second.
//!
//! Both sides run side by side, so that disturbances of the host meet both alike.
//! `dyno_results::compare` judges the pairs. The command `gate` measures a suspected regression once more and
//! judges both passes together.

mod baseline;

use std::ops::Range;

use dyno_measure::{
    Host, Interleave, Limits, Placement, Profile, Reason, Record, Round, System, TestSet, Track, Verdict,
};
use dyno_results::compare::Speeds;
use dyno_results::turns::{Compared, SPEED};
use dyno_results::{Identity, Place, Store};
use dyno_stats::{Random, mean, median};

pub use baseline::Baseline;

use crate::campaign::{Campaign, Entry};
use crate::exit::{Exit, Failure, Outcome, bad_input, no_answer};
use crate::interrupt::Stop;
use crate::progress::Progress;
use crate::runner::Runner;
use crate::scratch::Scratch;

/// Approximate time of a round: long against the resolution of clock and scheduler, and short enough for the
/// rounds of a pair to be close in time.
const ROUND_SECONDS: f64 = 1.0;
/// A launch lasts at least this many times its loading; otherwise the loading would hide a slower search.
const LOADS: f64 = 10.0;
/// Number of lines of the trial that determines the lines of a round.
const TRIAL_LINES: usize = 30;

/// Cell of the gate: a candidate and its baseline on one test set and track.
#[derive(Debug)]
pub struct Cell {
    /// Entries of candidate and baseline, as the run's identity names them.
    pub entries: (Entry, Option<Entry>),
    /// System that is judged.
    pub candidate: System,
    /// System to compare with; `None` if its rounds are stored.
    pub baseline: Option<System>,
    /// Lines that both sides translate: the part of the set that makes a round.
    pub test_set: TestSet,
    /// Protocol of the cell.
    pub track: Track,
    /// Speeds measured so far.
    pub speeds: Speeds,
    /// Number of rounds of each side that the host disturbed.
    pub noisy: Noisy,
}

/// Numbers of disturbed rounds of the two sides of a cell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Noisy {
    /// Disturbed rounds of the baseline.
    pub baseline: usize,
    /// Disturbed rounds of the candidate.
    pub candidate: usize,
}

/// Stage of the gate: measures rounds and keeps them.
pub struct Stage {
    campaign: Campaign,
    identity: Identity,
    placement: Placement,
    runner: Runner,
}

impl Stage {
    /// Creates a stage at `place` for these entries and test sets.
    pub fn new(
        place: &Place<'_>,
        campaign: &Campaign,
        entries: Vec<Entry>,
        sets: Vec<TestSet>,
    ) -> Outcome<Self> {
        let host = Host::detect()?;
        // The quick profile needs one second of throughput and three warm-up lines, which makes rounds of
        // about a second. A disturbed round isn't repeated: it is one of many, and the host disturbs its pair
        // as well.
        let campaign = Campaign {
            name: format!("{}-gate", campaign.name),
            profile: Profile::Quick,
            limits: Limits { noisy_repeats: Some(0), ..campaign.limits },
            filler: None,
            systems: entries,
            test_sets: sets,
            ..campaign.clone()
        };
        let identity = campaign.identity(&host)?;
        let (store, run) = Store::open(place, identity.clone(), usize::MAX, &campaign.test_sets)?;
        if !run.records.is_empty() {
            let folder = store.folder().display();
            return Err(bad_input(format!("{folder} holds rounds of a gate already: choose another --out")));
        }
        let mut runner = Runner::keeping(&campaign, &host, store, run)?;
        runner.measure_pipe_floor()?;
        Ok(Self { identity, placement: campaign.placement(&host), campaign, runner })
    }

    /// Measures and keeps rounds: side by side, or one after another if the campaign wants it so. INVALID ends
    /// the gate: a system that breaks the rules has no speed.
    pub fn rounds(&mut self, group: &[Round<'_>]) -> Outcome<Vec<Record>> {
        let size = if self.takes_turns() { group.len() } else { 1 };
        let mut records = Vec::new();
        for together in group.chunks(size) {
            let measured = self.runner.rounds(together)?;
            records.extend(measured.into_iter().map(|measured| measured.record));
        }
        records.into_iter().map(checked).collect()
    }

    /// Whether the two sides of a pair share their seconds.
    pub fn takes_turns(&self) -> bool {
        self.campaign.interleave == Interleave::Slices
    }

    /// Measures one more round for its answers, one for each source line.
    pub fn answers(&mut self, mut round: Round<'_>) -> Outcome<Vec<String>> {
        round.number = self.records().iter().filter(|record| record.is_of(&round)).count();
        let measured = self.runner.rounds(&[round])?.remove(0);
        checked(measured.record)?;
        Ok(measured.answers.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect())
    }

    /// Cores that the campaign wants and this host lacks, as a message.
    pub fn shortfall(&self) -> Option<String> {
        self.placement.shortfall(self.campaign.cores, &self.campaign.tracks)
    }

    /// Identity of the gate's rounds, which describes the systems of both sides.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// All rounds so far.
    pub fn records(&self) -> &[Record] {
        self.runner.records()
    }
}

fn checked(record: Record) -> Outcome<Record> {
    match record.reasons.first().filter(|_| record.verdict == Verdict::Invalid) {
        None => Ok(record),
        Some(reason) => Err(invalid(&record, reason)),
    }
}

fn invalid(record: &Record, Reason { code, figure, remedy, .. }: &Reason) -> Failure {
    let (system, track, code) = (&record.system, record.track, code.name());
    let message = format!("{system} is INVALID under {track}: {code}: {figure}; {remedy}");
    no_answer(Exit::CellInvalid, message)
}

/// Shortens `set` to the lines that `system`, the command of `entry`, translates in a round of about a
/// second. A set that takes less time stays whole.
pub fn shorten(
    campaign: &Campaign,
    (entry, system): (&Entry, &System),
    set: &TestSet,
    track: Track,
) -> Outcome<TestSet> {
    let scratch = Scratch::create()?;
    let (place, trial) = (scratch.path().join("trial"), set.first(TRIAL_LINES));
    let mut stage = Stage::new(&Place::Exactly(&place), campaign, vec![entry.clone()], vec![trial.clone()])?;
    let records = stage.rounds(&[Round { system, test_set: &trial, track, number: 0 }])?;
    Ok(set.first(lines_of_a_round(&records[0])))
}

/// Number of lines of a round, from the record of a trial.
fn lines_of_a_round(trial: &Record) -> usize {
    let seconds = |ns: &[u64]| {
        let seconds: Vec<f64> = ns.iter().map(|&ns| ns as f64 / 1e9).collect();
        (mean(&seconds).unwrap_or(0.0), median(&seconds).unwrap_or(0.0))
    };
    let (line, wanted) = match trial.track {
        Track::Server => return usize::MAX, // its runs repeat the set as often as they need
        Track::Latency | Track::LatencyAll => (seconds(&trial.latency_ns).0, ROUND_SECONDS),
        Track::Throughput1 | Track::ThroughputAll => {
            let (launch, load) = (seconds(&trial.launch_ns).1, seconds(&trial.one_line_ns).1);
            ((launch - load) / trial.lines as f64, ROUND_SECONDS.max(LOADS * load))
        }
    };
    // The lower bound keeps all lines of a set whose line time is below the clock's resolution.
    ((wanted / line.max(1e-9)) as usize).max(1)
}

/// Measures pairs of all cells, interleaved in seeded random order. True if the user stopped it before the
/// end.
pub fn measure(
    stage: &mut Stage,
    cells: &mut [&mut Cell],
    pairs: Range<usize>,
    progress: &Progress,
    stop: &Stop,
) -> Outcome<bool> {
    for number in pairs {
        let mut random = Random::new(stage.campaign.seed, &format!("pair {number}"));
        for i in random.permutation(cells.len()) {
            stop.begin("this round", None);
            if stop.is_wanted() {
                return Ok(true);
            }
            // One after another, neither side always comes first.
            cells[i].pair(stage, number, random.below(2) == 0, progress)?;
        }
    }
    Ok(false)
}

impl Cell {
    /// Measures a pair of rounds; of a stored baseline only the candidate's.
    fn pair(
        &mut self,
        stage: &mut Stage,
        number: usize,
        baseline_first: bool,
        progress: &Progress,
    ) -> Outcome<()> {
        let round = |system| Round { system, test_set: &self.test_set, track: self.track, number };
        let mut pair: Vec<Round<'_>> = self.baseline.iter().chain([&self.candidate]).map(round).collect();
        if !baseline_first {
            pair.reverse();
        }
        progress.show(&format!("{} · {}", self.candidate.name, self.track), None);
        let mut records = stage.rounds(&pair)?;
        records.iter().for_each(|_| progress.advance());
        if !baseline_first {
            records.reverse();
        }
        let candidate = records.pop().expect("the candidate is always measured");
        let noisy = |record: &Record| usize::from(record.verdict == Verdict::Noisy);
        self.noisy.candidate += noisy(&candidate);
        self.speeds.candidate.extend(candidate.words_per_second());
        if let Some(baseline) = records.pop() {
            self.noisy.baseline += noisy(&baseline);
            self.speeds.baseline.extend(baseline.words_per_second());
            let speed = |record| Compared::of(record, SPEED);
            self.speeds.ratios.extend(speed(&candidate).ratio_to(&speed(&baseline)));
            self.speeds.in_slices = stage.takes_turns();
        }
        Ok(())
    }

    /// Whether a side is NOISY: the host disturbed more than half of its rounds, as in a cell of a run.
    pub fn is_noisy(&self) -> bool {
        let Speeds { baseline, candidate, .. } = &self.speeds;
        2 * self.noisy.baseline > baseline.len() || 2 * self.noisy.candidate > candidate.len()
    }
}
