//! Quality of a run's outputs, as `scores.json` holds it.

use std::collections::BTreeMap;

use dyno_stats::bootstrap::Difference;
use serde::{Deserialize, Serialize};

/// Scores of a run's outputs, and comparisons of every two: `scores.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Scores: one for each test set and output.
    pub scores: Vec<Score>,
    /// Pairs: one for every two outputs of a test set.
    pub pairs: Vec<Pair>,
}

/// Quality of one output on one test set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// SHA-256 of the answers.
    pub output: String,
    /// Name of the test set.
    pub test_set: String,
    /// Corpus BLEU.
    pub bleu: f64,
    /// Half of its 95 % interval, by seeded bootstrap over lines.
    pub bleu_confidence: f64,
    /// Corpus chrF.
    pub chrf: f64,
    /// Half of its 95 % interval.
    pub chrf_confidence: f64,
    /// Signature of BLEU in sacrebleu's notation.
    pub bleu_signature: String,
    /// Signature of chrF.
    pub chrf_signature: String,
    /// Metrics of the user's own, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub others: BTreeMap<String, f64>,
}

/// Comparison of two outputs on one test set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// Name of the test set.
    pub test_set: String,
    /// SHA-256 of the first output.
    pub a: String,
    /// SHA-256 of the second output.
    pub b: String,
    /// BLEU of the first minus BLEU of the second.
    pub bleu: Difference,
    /// chrF of the first minus chrF of the second.
    pub chrf: Difference,
}

impl Scores {
    /// Score of `output` on the test set of that name.
    pub fn of(&self, output: &str, test_set: &str) -> Option<&Score> {
        self.scores.iter().find(|score| score.output == output && score.test_set == test_set)
    }

    /// BLEU of output `a` minus that of `b`.
    pub fn bleu_difference(&self, a: &str, b: &str, test_set: &str) -> Option<Difference> {
        let pairs = self.pairs.iter().filter(|pair| pair.test_set == test_set);
        let mut either =
            pairs.filter_map(|pair| match (pair.a == a && pair.b == b, pair.a == b && pair.b == a) {
                (true, _) => Some(pair.bleu),
                (_, true) => Some(pair.bleu.reversed()),
                _ => None,
            });
        either.next()
    }
}
