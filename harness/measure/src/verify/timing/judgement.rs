//! What a judgement of times takes and gives: samples, and the result. Lines and launches share these types.

use crate::rules::Reason;

/// One answer: its words, and its time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Number of words, the units of work.
    pub units: usize,
    /// Nanoseconds of the answer.
    pub ns: u64,
}

impl Sample {
    /// Nanoseconds for each unit.
    pub(super) fn per_unit(&self) -> f64 {
        self.ns as f64 / self.units.max(1) as f64
    }
}

/// Result of a comparison between two sides.
#[derive(Debug)]
pub struct Judgement {
    /// Time per word of the suspects, as a share of the others' time.
    pub figure: String,
    /// Broken rule, if any.
    pub reason: Option<Reason>,
    /// Whether the ratio is beyond its limit but not significant, or hidden by the host's noise.
    pub undecided: bool,
    /// Whether there was too little time to compare.
    pub too_quick: bool,
}
