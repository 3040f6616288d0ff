//! Texts to score, and the score of a text: what every kind of metric takes and gives.

use dyno_measure::TestSet;
use dyno_stats::bootstrap::Sampled;

use super::stored::Quality;

/// Outputs to score on one test set.
pub struct Work<'a> {
    /// Test set of the outputs.
    pub set: &'a TestSet,
    /// Names and lines of the outputs.
    pub outputs: Vec<(&'a str, &'a [String])>,
}

/// Score of a text, with its resamples where the metric scores lines.
pub(super) struct Scored {
    pub(super) score: f64,
    pub(super) signature: String,
    pub(super) sampled: Option<Sampled>,
    /// Score of each line, where the metric scores lines.
    pub(super) lines: Option<Vec<f64>>,
}

impl Scored {
    pub(super) fn quality(&self) -> Quality {
        Quality {
            score: self.score,
            confidence: self.sampled.as_ref().map(Sampled::half_interval),
            signature: self.signature.clone(),
        }
    }
}
