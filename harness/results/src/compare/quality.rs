//! Comparison of two texts: whether they are equal, else their difference in quality by paired bootstrap.

use dyno_measure::TestSet;
use dyno_stats::bootstrap::Difference;
use dyno_stats::numbers::p_value;
use serde::Serialize;

use super::speed::SIGNIFICANT;
use crate::scores::{self, Scores, Work};

/// Comparison of the candidate's text with the baseline's, on one test set.
#[derive(Debug, Serialize)]
pub struct Quality {
    /// Name of the candidate.
    pub system: String,
    /// Name of the test set.
    pub test_set: String,
    /// Whether all lines are equal.
    pub same_text: bool,
    /// Number of lines that differ.
    pub differing_lines: usize,
    /// BLEU of the candidate; absent without references or sacrebleu.
    pub bleu: Option<f64>,
    /// BLEU of the baseline.
    pub baseline_bleu: Option<f64>,
    /// Difference in BLEU, candidate minus baseline, where the texts differ.
    pub difference: Option<Difference>,
    /// Whether the candidate is surely worse than the baseline by more than the tolerated loss, or below the
    /// least accepted BLEU.
    pub worse: bool,
    /// Reason why quality was not compared, where the texts could be scored.
    #[serde(skip)]
    pub warning: Option<String>,
}

/// Limits of a text's quality.
#[derive(Clone, Copy, Debug, Default)]
pub struct QualityLimits {
    /// Least accepted BLEU.
    pub min_bleu: Option<f64>,
    /// Tolerated loss of BLEU against the baseline, in points; none if absent.
    pub max_loss: Option<f64>,
}

impl Quality {
    /// Compares the answers of the candidate, `ours`, with the baseline's, `theirs`.
    pub fn compare(
        system: &str,
        set: &TestSet,
        ours: &[String],
        theirs: &[String],
        limits: QualityLimits,
    ) -> Self {
        let same_text = ours == theirs;
        let mut outputs = vec![("ours", ours)];
        if !same_text && theirs.len() == ours.len() {
            outputs.push(("theirs", theirs));
        }
        let (scores, warning) = scores(set, outputs);
        let bleu = |name: &str| scores.of(name, &set.name).map(|score| score.bleu);
        let difference = scores.bleu_difference("ours", "theirs", &set.name);
        let tolerated = limits.max_loss.unwrap_or(0.0);
        let surely_worse =
            difference.is_some_and(|pair| pair.difference < -tolerated && pair.p_worse < SIGNIFICANT);
        let too_low = limits.min_bleu.is_some_and(|least| bleu("ours").is_some_and(|bleu| bleu < least));
        Self {
            system: system.into(),
            test_set: set.name.clone(),
            same_text,
            differing_lines: differing_lines(ours, theirs),
            bleu: bleu("ours"),
            baseline_bleu: bleu(if same_text { "ours" } else { "theirs" }),
            difference,
            worse: surely_worse || too_low,
            warning,
        }
    }

    /// Whether the candidate's quality could be compared with the baseline's.
    pub fn is_compared(&self) -> bool {
        self.same_text || self.difference.is_some()
    }

    /// The comparison in a line.
    pub fn about(&self) -> String {
        let Self { system, test_set, differing_lines, .. } = self;
        let verdict = match self.worse {
            true => "worse",
            false if self.is_compared() => "not worse",
            false => "can't tell",
        };
        let bleu = |bleu: Option<f64>| bleu.map_or_else(|| "unknown".into(), |bleu| format!("{bleu:.4}"));
        let ours = bleu(self.bleu);
        match self.difference {
            _ if self.same_text => format!("{system} on {test_set}: the same text, BLEU {ours}: {verdict}"),
            Some(pair) => format!(
                "{system} on {test_set}: {differing_lines} lines differ, BLEU {ours} against {} ({:+.4}, p {}): {verdict}",
                bleu(self.baseline_bleu),
                pair.difference,
                p_value(pair.p_worse)
            ),
            None => format!("{system} on {test_set}: {differing_lines} lines differ, BLEU {ours}: {verdict}"),
        }
    }
}

/// Number of lines that differ; a line that one side lacks differs.
fn differing_lines(ours: &[String], theirs: &[String]) -> usize {
    ours.iter().zip(theirs).filter(|(a, b)| a != b).count() + ours.len().abs_diff(theirs.len())
}

/// Scores of the outputs, and the reason where they are missing. Speeds are compared in any case.
fn scores(set: &TestSet, outputs: Vec<(&str, &[String])>) -> (Scores, Option<String>) {
    let fits = outputs.iter().all(|(_, answers)| answers.len() == set.source.len());
    if set.references.is_empty() || !fits {
        return (Scores::default(), None);
    }
    let work = Work { test_set: &set.name, references: &set.references, outputs };
    match scores::score(&[work]) {
        Ok(scores) => (scores, None),
        Err(error) => (Scores::default(), Some(format!("quality is not compared: {error}"))),
    }
}
