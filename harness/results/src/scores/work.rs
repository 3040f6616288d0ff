//! Texts to score, and the score of a text: what every kind of metric takes and gives.

use dyno_measure::{TestSet, as_text};
use dyno_record::hash_of;
use dyno_stats::bootstrap::Sampled;

use super::stored::Quality;

/// Outputs to score on one test set.
pub struct Work<'a> {
    /// Test set of the outputs.
    pub set: &'a TestSet,
    /// Names and lines of the outputs.
    pub outputs: Vec<(&'a str, &'a [String])>,
}

/// The source as its own translation: what a system that translates nothing scores. Every metric scores it,
/// so that a reader sees where its scale begins.
pub(super) struct Copied {
    name: String,
    lines: Vec<String>,
}

impl Copied {
    pub(super) fn of(set: &TestSet) -> Self {
        let lines = set.source.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect();
        Self { name: name_of_copy(set), lines }
    }
}

/// Name of the source as an output: that of the null system's answers.
pub(crate) fn name_of_copy(set: &TestSet) -> String {
    hash_of(&as_text(&set.source))
}

impl<'a> Work<'a> {
    /// The same with the source as an output more, unless a system has returned it.
    pub(super) fn and(mut self, copied: &'a Copied) -> Self {
        if self.outputs.iter().all(|(name, _)| *name != copied.name) {
            self.outputs.push((&copied.name, &copied.lines));
        }
        self
    }
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
