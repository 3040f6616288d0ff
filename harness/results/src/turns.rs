//! Figures of rounds, and their comparison. Rounds that were measured side by side are compared turn by turn, so
//! that what wanders in the host meets both alike.

use dyno_record::Record;
use dyno_stats::{mean, median, percentile};

/// A figure of a round by which systems are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Words a second, turn by turn where rounds were measured side by side.
    Speed,
    /// 95th percentile of latency, in milliseconds.
    P95,
}

impl Measure {
    fn of(self, record: &Record) -> Option<f64> {
        let ms = || record.latency_ns().iter().map(|&ns| ns as f64 / 1e6).collect::<Vec<f64>>();
        match self {
            Self::Speed => record.words_per_second(),
            Self::P95 => percentile(&ms(), 95.0),
        }
    }
}

/// A round with its figure. The figure of a round that is compared with many others is computed once.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    /// The round.
    pub record: &'a Record,
    /// Figure of the round, if it has one.
    pub value: Option<f64>,
    measure: Measure,
}

impl<'a> Compared<'a> {
    /// `record` with its figure.
    pub fn of(record: &'a Record, measure: Measure) -> Self {
        Self { record, value: measure.of(record), measure }
    }

    /// Ratio of the figure to that of `other`. Words a second of one group are compared turn by turn: in one
    /// turn all systems have the same lines.
    pub fn ratio_to(&self, other: &Self) -> Option<f64> {
        let turns = turns_of(self.record, self.measure).zip(turns_of(other.record, self.measure));
        match turns.filter(|(ours, theirs)| self.is_beside(other) && ours.len() == theirs.len()) {
            Some((ours, theirs)) => {
                let ratios =
                    ours.iter().zip(theirs).map(|(ours, theirs)| *theirs as f64 / (*ours).max(1) as f64);
                median(&ratios.collect::<Vec<_>>())
            }
            None => Some(self.value? / other.value?),
        }
    }

    /// Whether the two rounds were measured side by side.
    pub fn is_beside(&self, other: &Self) -> bool {
        let slices = self.record.slices.as_ref().zip(other.record.slices.as_ref());
        slices.is_some_and(|(ours, theirs)| ours.group == theirs.group)
    }

    /// Figure relative to the geometric mean of the round's `group`, itself included. What the host does to the
    /// whole group cancels out. The mean contains a part of the round's own noise, which makes the noise
    /// smaller by √(1 − 1/n) in a group of n; the result is stretched by as much. `None` for a round without
    /// partners.
    pub fn relative_to(&self, group: &[Self]) -> Option<f64> {
        let others = group.iter().filter(|other| self.is_beside(other));
        let logs = others.map(|other| Some(self.ratio_to(other)?.ln())).collect::<Option<Vec<f64>>>()?;
        match logs.len() {
            0 | 1 => None,
            n => Some((mean(&logs)? / (1.0 - 1.0 / n as f64).sqrt()).exp()),
        }
    }
}

/// Times of the turns, if they decide about `measure`.
fn turns_of(record: &Record, measure: Measure) -> Option<&[u64]> {
    let turns = record.slices.as_ref().map(|slices| slices.turn_ns.as_slice())?;
    (measure == Measure::Speed && !turns.is_empty()).then_some(turns)
}
