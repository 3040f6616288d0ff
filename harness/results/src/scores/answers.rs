//! Answers of a metric's program, as functions of their text: facts about the metric, and the scores of a text. An
//! answer is one JSON object: what was asked for, or the program's own error.

use dyno_api::printable_line;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::scale::Direction;

/// Answer of a program that couldn't do what it was asked.
#[derive(Deserialize)]
struct Refusal {
    error: String,
}

/// Value of an answer; an error is a fault in one line. A program's own error is told as it is, any other text with the
/// name of the answer and the remedy.
pub(super) fn value<T: DeserializeOwned>(line: &str, [name, remedy]: [&str; 2]) -> Result<T, String> {
    if let Ok(Refusal { error }) = serde_json::from_str(line) {
        return Err(printable_line(&error));
    }
    serde_json::from_str(line).map_err(|fault| {
        let shown: String = line.trim_end().chars().take(80).collect();
        printable_line(&format!("{fault} in {name} {shown:?}; {remedy}"))
    })
}

/// Name of a worker's answer, and the remedy for its author if it is no JSON object of the right shape.
const OF_A_WORKER: [&str; 2] = ["its answer", "print one JSON object a line, and nothing else"];

/// Answer of a worker to `init`.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct MetricFacts {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) direction: Direction,
    #[serde(default)]
    pub(super) range: Option<[f64; 2]>,
    #[serde(default)]
    pub(super) signature: String,
    /// Whether the metric compares with references; a metric without them also scores sets without.
    #[serde(default = "yes")]
    pub(super) references: bool,
}

fn yes() -> bool {
    true
}

impl MetricFacts {
    /// Reads the answer; an error is a fault in one line.
    pub fn read(line: &str) -> Result<Self, String> {
        let facts: Self = value(line, OF_A_WORKER)?;
        match facts.range {
            Some([low, high]) if !(low.is_finite() && high.is_finite() && low < high) => {
                Err(format!("`range` is [{low}, {high}]; give the least and the greatest score"))
            }
            _ => Ok(facts),
        }
    }
}

/// Answer of a worker to `score`: for each line, for the whole text, or both.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct TextScores {
    pub(super) segments: Option<Vec<f64>>,
    pub(super) score: Option<f64>,
}

impl TextScores {
    /// Reads the scores of a text of `lines` lines; an error is a fault in one line.
    pub fn read(line: &str, lines: usize) -> Result<Self, String> {
        let scores: Self = value(line, OF_A_WORKER)?;
        scores.fault(lines).map_or(Ok(scores), Err)
    }

    /// Fault of the scores, if any. The bootstrap resamples the mean of the segments, so the score must be that mean.
    fn fault(&self, lines: usize) -> Option<String> {
        let segments = self.segments.as_deref();
        let mut numbers = segments.into_iter().flatten().chain(&self.score);
        let mean = segments.map(|segments| segments.iter().sum::<f64>() / segments.len() as f64);
        // Workers of single precision agree to six digits.
        let apart = |(score, mean): &(f64, f64)| (score - mean).abs() > 1e-4 * mean.abs().max(1.0);
        if segments.is_none() && self.score.is_none() {
            return Some("its answer has neither `segments` nor `score`; give one of them".into());
        }
        if numbers.any(|number| !number.is_finite()) {
            return Some("a score is not a finite number; print an error in place of it".into());
        }
        if let Some(count) = segments.map(<[f64]>::len).filter(|count| *count != lines) {
            return Some(format!("{count} segment scores for {lines} lines; give one for each line"));
        }
        let (score, mean) = self.score.zip(mean).filter(apart)?;
        Some(format!("its score {score} is not the mean {mean} of its segment scores; leave one of them out"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_told_in_one_line_what_to_mend_but_its_own_error_stays() {
        let facts = |more: &str| format!(r#"{{"name": "m", "version": "1", "direction": "higher"{more}}}"#);
        assert!(MetricFacts::read(&facts("")).unwrap().references);
        for (fault, part) in [
            (MetricFacts::read(&facts(", \"range\": [1, 1]")).unwrap_err(), "[1, 1]; give"),
            (MetricFacts::read("loading\u{7}").unwrap_err(), "; print one JSON object a line"),
            (TextScores::read("{}", 1).unwrap_err(), "neither `segments` nor `score`; give"),
            (TextScores::read(r#"{"segments": [1, 2]}"#, 1).unwrap_err(), "for 1 lines; give"),
            (TextScores::read(r#"{"segments": [1], "score": 2}"#, 1).unwrap_err(), "not the mean 1"),
        ] {
            assert!(fault.contains(part) && !fault.contains('\u{7}'), "{fault}");
        }
        let refused = TextScores::read(r#"{"error": "out of\nmemory", "score": 1}"#, 1);
        assert_eq!(refused, Err("out of memory".into()));
    }
}
