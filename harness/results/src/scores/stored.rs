//! Quality of a run's outputs, as `scores.json` holds it.
//!
//! Files of earlier versions had fields for BLEU and chrF; they are read as scores of these two metrics.

use std::collections::BTreeMap;

use dyno_stats::bootstrap::Difference;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::metric::Standard;
use super::scale::Scale;

/// Scores of a run's outputs, and comparisons of every two: `scores.json`. They are maps, since a summary asks for
/// a pair of outputs once for every pair of cells. Outputs go by their SHA-256.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Wire", into = "Value")]
pub struct Scores {
    /// Scales of the metrics with scores.
    pub metrics: Vec<Scale>,
    /// Qualities by test set and output.
    pub texts: BTreeMap<[String; 2], ByMetric<Quality>>,
    /// Score of the first output minus score of the second, by test set, first and second output; the greater SHA-256
    /// is first. `p_worse` and `p_better` speak of quality, whichever end of the scale is better.
    pub pairs: BTreeMap<[String; 3], ByMetric<Difference>>,
}

/// Values by the name of the metric.
pub type ByMetric<T> = BTreeMap<String, T>;

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

impl Scores {
    /// Quality of `output` by one metric.
    pub fn quality(&self, metric: &str, output: &str, test_set: &str) -> Option<&Quality> {
        self.texts.get(&[test_set, output].map(String::from))?.get(metric)
    }

    /// Score of output `a` minus that of `b`, by one metric.
    pub fn difference(&self, metric: &str, a: &str, b: &str, test_set: &str) -> Option<Difference> {
        if a < b {
            return self.difference(metric, b, a, test_set).map(Difference::reversed);
        }
        self.pairs.get(&[test_set, a, b].map(String::from))?.get(metric).copied()
    }

    /// Adds the comparison of two outputs.
    pub(super) fn add_pair(&mut self, test_set: String, [a, b]: [String; 2], mut pair: ByMetric<Difference>) {
        if a < b {
            pair.values_mut().for_each(|difference| *difference = difference.reversed());
        }
        self.pairs.insert(if a < b { [test_set, b, a] } else { [test_set, a, b] }, pair);
    }

    /// Removes the scores of a metric.
    pub fn forget(&mut self, metric: &str) {
        self.metrics.retain(|scale| scale.name != metric);
        self.texts.values_mut().for_each(|text| _ = text.remove(metric));
        self.pairs.values_mut().for_each(|pair| _ = pair.remove(metric));
    }

    /// Adds what only `other` has: a metric may have failed here, on all test sets or on one.
    pub fn add_missing(&mut self, other: &Self) {
        for scale in &other.metrics {
            if self.scale(&scale.name).is_none() {
                self.metrics.push(scale.clone());
            }
        }
        add_missing(&mut self.texts, &other.texts);
        add_missing(&mut self.pairs, &other.pairs);
    }

    /// Scale of the metric of that name.
    pub fn scale(&self, metric: &str) -> Option<&Scale> {
        self.metrics.iter().find(|scale| scale.name == metric)
    }
}

fn add_missing<K: Clone + Ord, T: Clone>(
    own: &mut BTreeMap<K, ByMetric<T>>,
    other: &BTreeMap<K, ByMetric<T>>,
) {
    for (text, metrics) in other {
        let own = own.entry(text.clone()).or_default();
        for (metric, value) in metrics {
            own.entry(metric.clone()).or_insert_with(|| value.clone());
        }
    }
}

/// The file: a list of outputs and one of pairs.
#[derive(Deserialize)]
struct Wire {
    #[serde(default = "earlier_scales")]
    metrics: Vec<Scale>,
    scores: Vec<Score>,
    pairs: Vec<Pair>,
}

/// Scales of a file that names none.
fn earlier_scales() -> Vec<Scale> {
    [Standard::Bleu, Standard::Chrf].map(Standard::scale).into()
}

#[derive(Deserialize)]
struct Score {
    output: String,
    test_set: String,
    #[serde(default)]
    metrics: ByMetric<Quality>,
    #[serde(flatten)]
    earlier: EarlierScore,
}

#[derive(Deserialize)]
struct EarlierScore {
    bleu: Option<f64>,
    bleu_confidence: Option<f64>,
    bleu_signature: Option<String>,
    chrf: Option<f64>,
    chrf_confidence: Option<f64>,
    chrf_signature: Option<String>,
}

#[derive(Deserialize)]
struct Pair {
    test_set: String,
    a: String,
    b: String,
    #[serde(default)]
    metrics: ByMetric<Difference>,
    bleu: Option<Difference>,
    chrf: Option<Difference>,
}

impl From<Wire> for Scores {
    fn from(file: Wire) -> Self {
        let mut scores = Self { metrics: file.metrics, ..Self::default() };
        for Score { output, test_set, mut metrics, earlier } in file.scores {
            for (name, score, confidence, signature) in [
                ("bleu", earlier.bleu, earlier.bleu_confidence, earlier.bleu_signature),
                ("chrf", earlier.chrf, earlier.chrf_confidence, earlier.chrf_signature),
            ] {
                let signature = signature.unwrap_or_default();
                metrics
                    .extend(score.map(|score| (name.to_owned(), Quality { score, confidence, signature })));
            }
            scores.texts.insert([test_set, output], metrics);
        }
        for Pair { test_set, a, b, mut metrics, bleu, chrf } in file.pairs {
            let earlier = [("bleu", bleu), ("chrf", chrf)];
            metrics.extend(earlier.into_iter().filter_map(|(name, pair)| Some((name.to_owned(), pair?))));
            scores.add_pair(test_set, [a, b], metrics);
        }
        scores
    }
}

impl From<Scores> for Value {
    fn from(Scores { metrics, texts, pairs }: Scores) -> Self {
        let scores: Vec<Self> = texts
            .iter()
            .map(|([set, output], metrics)| json!({"output": output, "test_set": set, "metrics": metrics}))
            .collect();
        let pairs: Vec<Self> = pairs
            .iter()
            .map(|([set, a, b], metrics)| json!({"test_set": set, "a": a, "b": b, "metrics": metrics}))
            .collect();
        json!({"metrics": metrics, "scores": scores, "pairs": pairs})
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

    /// The published runs, against a search through the lists of their files.
    #[test]
    fn a_lookup_finds_what_the_file_lists() {
        let results = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../results"));
        let files = results.read_dir().unwrap().map(|run| run.unwrap().path().join("scores.json"));
        let mut found = 0;
        for file in files.filter(|file| file.exists()) {
            let text = std::fs::read_to_string(&file).unwrap();
            let scores: Scores = serde_json::from_str(&text).unwrap();
            let listed: Value = serde_json::from_str(&text).unwrap();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            for score in listed["scores"].as_array().unwrap() {
                let (output, set) = (text(&score["output"]), text(&score["test_set"]));
                let bleu = score.get("bleu").unwrap_or(&score["metrics"]["bleu"]["score"]);
                let quality = scores.quality("bleu", &output, &set).unwrap();
                assert_eq!(Some(quality.score), bleu.as_f64(), "{}", file.display());
                assert!(scores.quality("bleu", &output, "another set").is_none());
            }
            for pair in listed["pairs"].as_array().unwrap() {
                let [a, b, set] = ["a", "b", "test_set"].map(|field| text(&pair[field]));
                let bleu = pair.get("bleu").unwrap_or(&pair["metrics"]["bleu"]);
                let bleu: Difference = serde_json::from_value(bleu.clone()).unwrap();
                assert_eq!(scores.difference("bleu", &a, &b, &set), Some(bleu));
                assert_eq!(scores.difference("bleu", &b, &a, &set), Some(bleu.reversed()));
                found += 1;
            }
        }
        assert!(found > 1000, "{found} pairs");
    }
}
