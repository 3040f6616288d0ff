//! Cell of the gate: a candidate and its baseline on one test set and track, with what was measured so far; and the
//! campaign's form in which a cell is measured.

use dyno_measure::{Round, System, TestSet};
use dyno_record::{Profile, Reason, Record, Track, Verdict};
use dyno_results::compare::{Comparison, Speeds};
use dyno_results::turns::{Compared, Measure};
use serde::Serialize;

use crate::campaign::{Campaign, Entry};
use crate::exit::{Exit, Failure, no_answer};

/// Cell of the gate: a candidate and its baseline on one test set and track.
#[derive(Debug)]
pub struct Cell {
    /// Entries of candidate and baseline, as the run's identity names them.
    pub entries: (Entry, Option<Entry>),
    pub candidate: System,
    /// System to compare with; `None` if its rounds are stored.
    pub baseline: Option<System>,
    /// Lines that both sides translate: the part of the set that makes a round.
    pub test_set: TestSet,
    pub track: Track,
    pub speeds: Speeds,
    /// Comparison of the speeds so far.
    pub comparison: Option<Comparison>,
    /// Number of rounds of candidate and baseline that the host disturbed.
    pub disturbed: [usize; 2],
    /// Rule that a side broke. Such a cell has no answer, and is measured no more.
    pub fault: Option<Fault>,
}

/// A broken rule, and the system that broke it: it has no speed.
#[derive(Clone, Debug, Serialize)]
pub struct Fault {
    pub culprit: String,
    /// The rule, with its figure.
    pub reason: Reason,
}

impl Fault {
    pub fn of(record: &Record) -> Option<Self> {
        let reason = record.reasons.first().filter(|_| record.verdict == Verdict::Invalid)?;
        Some(Self { culprit: record.system.clone(), reason: reason.clone() })
    }
}

impl Cell {
    /// Number of rounds that a pair takes: one if the baseline's are stored.
    pub fn rounds_of_a_pair(&self) -> usize {
        1 + usize::from(self.baseline.is_some())
    }

    /// Whether a side is NOISY: the host disturbed more than half of its rounds, as in a cell of a run.
    pub fn is_noisy(&self) -> bool {
        let rounds = [self.speeds.candidate.len(), self.speeds.baseline.len()];
        self.disturbed.into_iter().zip(rounds).any(|(disturbed, rounds)| 2 * disturbed > rounds)
    }

    /// The rounds of a pair: the baseline's, unless they are stored, then the candidate's.
    pub fn pair(&self) -> Vec<Round<'_>> {
        let round = |system| Round { system, test_set: &self.test_set, track: self.track, number: 0 };
        self.baseline.iter().chain([&self.candidate]).map(round).collect()
    }

    pub fn add(&mut self, mut records: Vec<Record>) {
        self.fault = records.iter().find_map(Fault::of);
        let Some(candidate) = records.pop().filter(|_| self.fault.is_none()) else { return };
        let disturbed = |record: &Record| usize::from(record.verdict == Verdict::Noisy);
        self.disturbed[0] += disturbed(&candidate);
        self.speeds.candidate.extend(candidate.words_per_second());
        if let Some(baseline) = records.pop() {
            self.disturbed[1] += disturbed(&baseline);
            self.speeds.baseline.extend(baseline.words_per_second());
            let [ours, theirs] = [&candidate, &baseline].map(|record| Compared::of(record, Measure::Speed));
            self.speeds.ratios.extend(ours.ratio_to(&theirs));
            self.speeds.in_slices = ours.is_beside(&theirs);
            let whole = ours.value.zip(theirs.value).filter(|_| self.speeds.in_slices);
            self.speeds.whole_ratios.extend(whole.map(|(ours, theirs)| ours / theirs));
        }
    }
}

/// Profile of the gate, whatever the campaign's.
pub const PROFILE: Profile = Profile::Quick;

/// The gate's form of `campaign`, with these entries and test sets. The quick profile needs one second of
/// throughput and three warm-up lines, which makes rounds of about a second. A disturbed round isn't repeated:
/// it is one of many, and the host disturbs its pair as well. No verdict uses the closed loop.
pub fn quick(campaign: &Campaign, entries: Vec<Entry>, sets: Vec<TestSet>) -> Campaign {
    let name = format!("{}-gate", campaign.name);
    let mut quick = Campaign { name, systems: entries, test_sets: sets, ..campaign.clone() };
    quick.set_profile(PROFILE);
    quick.protocol.limits.noisy_repeats = Some(0);
    (quick.protocol.filler, quick.protocol.clients) = (None, Vec::new());
    quick
}

/// The end of a gate whose system got the user's signal first.
pub fn interrupted() -> Failure {
    no_answer(Exit::Interrupted, "interrupted during a round")
}
