//! Quality of a run's outputs, as `scores.json` holds it.
//!
//! Files of earlier versions had fields for BLEU and chrF; they are read as scores of these two metrics.

use std::collections::BTreeMap;

use dyno_stats::bootstrap::Difference;
use serde::{Deserialize, Serialize};

use super::metric::Standard;
use super::scale::Scale;

/// Scores of a run's outputs, and comparisons of every two: `scores.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Scales of the metrics with scores.
    #[serde(default = "earlier_scales")]
    pub metrics: Vec<Scale>,
    /// Scores: one for each test set and output.
    pub scores: Vec<Score>,
    /// Pairs: one for every two outputs of a test set.
    pub pairs: Vec<Pair>,
}

/// Scales of a file that names none.
fn earlier_scales() -> Vec<Scale> {
    [Standard::Bleu, Standard::Chrf].map(Standard::scale).into()
}

/// Quality of one output on one test set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "EarlierScore")]
pub struct Score {
    /// SHA-256 of the answers.
    pub output: String,
    /// Name of the test set.
    pub test_set: String,
    /// Quality by the name of the metric.
    pub metrics: BTreeMap<String, Quality>,
}

/// Score of an output by one metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Score of the whole text.
    pub score: f64,
    /// Half of its 95 % interval, by seeded bootstrap over lines; absent for a metric without scores of
    /// lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Signature: version and parameters of the metric.
    #[serde(default)]
    pub signature: String,
}

/// Comparison of two outputs on one test set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "EarlierPair")]
pub struct Pair {
    /// Name of the test set.
    pub test_set: String,
    /// SHA-256 of the first output.
    pub a: String,
    /// SHA-256 of the second output.
    pub b: String,
    /// Score of the first minus score of the second, by the name of the metric. `p_worse` and `p_better`
    /// speak of quality, whichever end of the scale is better.
    pub metrics: BTreeMap<String, Difference>,
}

impl Scores {
    /// Score of `output` on the test set of that name.
    pub fn of(&self, output: &str, test_set: &str) -> Option<&Score> {
        self.scores.iter().find(|score| score.output == output && score.test_set == test_set)
    }

    /// Quality of `output` by one metric.
    pub fn quality(&self, metric: &str, output: &str, test_set: &str) -> Option<&Quality> {
        self.of(output, test_set)?.metrics.get(metric)
    }

    /// Score of output `a` minus that of `b`, by one metric.
    pub fn difference(&self, metric: &str, a: &str, b: &str, test_set: &str) -> Option<Difference> {
        let pairs = self.pairs.iter().filter(|pair| pair.test_set == test_set);
        let mut either =
            pairs.filter_map(|pair| match (pair.a == a && pair.b == b, pair.a == b && pair.b == a) {
                (true, _) => Some(*pair.metrics.get(metric)?),
                (_, true) => Some(pair.metrics.get(metric)?.reversed()),
                _ => None,
            });
        either.next()
    }

    /// Removes the scores of a metric.
    pub fn forget(&mut self, metric: &str) {
        self.metrics.retain(|scale| scale.name != metric);
        self.scores.iter_mut().for_each(|score| _ = score.metrics.remove(metric));
        self.pairs.iter_mut().for_each(|pair| _ = pair.metrics.remove(metric));
    }

    /// Adds the scores of `earlier` that are missing here: a metric may have failed now, on all test sets or on one.
    pub(crate) fn add_missing(&mut self, earlier: &Self) {
        for score in &mut self.scores {
            let known = earlier.of(&score.output, &score.test_set);
            for (name, quality) in known.into_iter().flat_map(|known| &known.metrics) {
                score.metrics.entry(name.clone()).or_insert_with(|| quality.clone());
            }
        }
        for pair in &mut self.pairs {
            for Scale { name, .. } in &earlier.metrics {
                if !pair.metrics.contains_key(name)
                    && let Some(known) = earlier.difference(name, &pair.a, &pair.b, &pair.test_set)
                {
                    pair.metrics.insert(name.clone(), known);
                }
            }
        }
        let missing = earlier.metrics.iter().filter(|scale| self.scale(&scale.name).is_none());
        let missing: Vec<Scale> = missing.cloned().collect();
        self.metrics.extend(missing);
    }

    /// Scale of the metric of that name.
    pub fn scale(&self, metric: &str) -> Option<&Scale> {
        self.metrics.iter().find(|scale| scale.name == metric)
    }
}

/// A score, in the present form or in the earlier one.
#[derive(Deserialize)]
struct EarlierScore {
    output: String,
    test_set: String,
    #[serde(default)]
    metrics: BTreeMap<String, Quality>,
    bleu: Option<f64>,
    bleu_confidence: Option<f64>,
    bleu_signature: Option<String>,
    chrf: Option<f64>,
    chrf_confidence: Option<f64>,
    chrf_signature: Option<String>,
}

impl From<EarlierScore> for Score {
    fn from(earlier: EarlierScore) -> Self {
        let EarlierScore { output, test_set, mut metrics, .. } = earlier;
        for (name, score, confidence, signature) in [
            ("bleu", earlier.bleu, earlier.bleu_confidence, earlier.bleu_signature),
            ("chrf", earlier.chrf, earlier.chrf_confidence, earlier.chrf_signature),
        ] {
            let signature = signature.unwrap_or_default();
            metrics.extend(score.map(|score| (name.to_owned(), Quality { score, confidence, signature })));
        }
        Self { output, test_set, metrics }
    }
}

/// A pair, in the present form or in the earlier one.
#[derive(Deserialize)]
struct EarlierPair {
    test_set: String,
    a: String,
    b: String,
    #[serde(default)]
    metrics: BTreeMap<String, Difference>,
    bleu: Option<Difference>,
    chrf: Option<Difference>,
}

impl From<EarlierPair> for Pair {
    fn from(earlier: EarlierPair) -> Self {
        let EarlierPair { test_set, a, b, mut metrics, bleu, chrf } = earlier;
        let fields = [("bleu", bleu), ("chrf", chrf)];
        metrics.extend(fields.into_iter().filter_map(|(name, pair)| Some((name.to_owned(), pair?))));
        Self { test_set, a, b, metrics }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_earlier_versions_are_read() {
        let half = r#"{"difference": 1.5, "low": 0.5, "high": 2.0, "p": 0.01, "p_worse": 0.99}"#;
        let text = format!(
            r#"{{"scores": [{{"output": "a", "test_set": "s", "bleu": 30.5, "bleu_confidence": 0.8, "chrf": 55.0,
            "chrf_confidence": 0.6, "bleu_signature": "tok:13a", "chrf_signature": "nc:6"}}],
            "pairs": [{{"test_set": "s", "a": "a", "b": "b", "bleu": {half}, "chrf": {half}}}]}}"#
        );
        let scores: Scores = serde_json::from_str(&text).unwrap();
        let bleu = scores.quality("bleu", "a", "s").unwrap();
        assert_eq!((bleu.score, bleu.confidence, bleu.signature.as_str()), (30.5, Some(0.8), "tok:13a"));
        assert_eq!(scores.quality("chrf", "a", "s").unwrap().score, 55.0);
        assert_eq!(scores.difference("chrf", "b", "a", "s").unwrap().difference, -1.5);
        assert_eq!(scores.scale("chrf").unwrap().title, "chrF");
        let mut rescored: Scores = serde_json::from_str(
            r#"{"metrics": [], "scores": [{"output": "a", "test_set": "s", "metrics": {"ter": {"score": 9.0}}}],
            "pairs": [{"test_set": "s", "a": "b", "b": "a", "metrics": {}}]}"#,
        )
        .unwrap();
        rescored.add_missing(&scores);
        assert_eq!(rescored.quality("bleu", "a", "s"), Some(bleu), "a metric that failed keeps its scores");
        assert_eq!(rescored.difference("chrf", "a", "b", "s").unwrap().difference, 1.5);
        rescored.forget("bleu");
        assert!(rescored.quality("bleu", "a", "s").is_none() && rescored.scale("bleu").is_none());
        let again: Scores = serde_json::from_str(&serde_json::to_string(&scores).unwrap()).unwrap();
        assert_eq!(again, scores);
    }
}
