//! Comparison of two texts: whether they are equal, else their difference in quality by paired bootstrap.

use dyno_measure::TestSet;
use dyno_stats::bootstrap::Difference;
use dyno_stats::numbers::p_value;
use serde::Serialize;

use super::kinds::{self, KindChange};
use super::speed::SIGNIFICANT;
use super::worse_lines::{self, WorseLine, worst_lines};
use crate::kinds::Languages;
use crate::scores::{self, Metric, Metrics, Scale, Work};

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
    /// Name of the metric: the first of the list.
    pub metric: String,
    /// Score of the candidate; absent without references or a working metric.
    pub score: Option<f64>,
    /// Score of the baseline.
    pub baseline_score: Option<f64>,
    /// Difference of the scores, candidate minus baseline, where the texts differ.
    pub difference: Option<Difference>,
    /// Whether the candidate is surely worse than the baseline by more than the tolerated loss, or worse than
    /// the worst accepted score.
    pub worse: bool,
    /// Kinds of which the candidate keeps more or less.
    pub kinds: Vec<KindChange>,
    /// Lines that got worse most. Without scores of lines, the first ones that differ.
    pub worst_lines: Vec<WorseLine>,
    /// Scale of the metric.
    #[serde(skip)]
    pub scale: Scale,
    /// Reason why quality was not compared, where the texts could be scored.
    #[serde(skip)]
    pub warning: Option<String>,
}

/// Limits of a text's quality.
#[derive(Clone, Copy, Debug, Default)]
pub struct QualityLimits {
    /// Worst accepted score, at whichever end of the scale that is.
    pub worst: Option<f64>,
    /// Tolerated loss against the baseline, in points of the metric; none if absent.
    pub max_loss: Option<f64>,
}

impl Quality {
    /// Compares the answers of the candidate, `ours`, with the baseline's, `theirs`, by the first of
    /// `metrics`.
    pub fn compare(
        system: &str,
        set: &TestSet,
        (ours, theirs): (&[String], &[String]),
        limits: QualityLimits,
        metrics: &Metrics,
    ) -> Self {
        let same_text = ours == theirs;
        let mut outputs = vec![("ours", ours)];
        if !same_text && theirs.len() == ours.len() {
            outputs.push(("theirs", theirs));
        }
        let (scale, scores::Answer { scores, failures, lines, .. }) = scores(set, outputs, metrics);
        let score = |name: &str| scores.quality(&scale.name, name, &set.name).map(|quality| quality.score);
        let difference = scores.difference(&scale.name, "ours", "theirs", &set.name);
        let of_lines = |name: &str| lines.get(name).map(Vec::as_slice);
        let of_lines = of_lines("ours").zip(of_lines("theirs"));
        let tolerated = limits.max_loss.unwrap_or(0.0);
        let surely_worse = difference
            .is_some_and(|pair| scale.gain(pair.difference) < -tolerated && pair.p_worse < SIGNIFICANT);
        let is_below = |worst: f64| score("ours").is_some_and(|score| scale.gain(score) < scale.gain(worst));
        let too_low = limits.worst.is_some_and(is_below);
        Self {
            system: system.into(),
            test_set: set.name.clone(),
            same_text,
            differing_lines: differing_lines(ours, theirs),
            metric: scale.name.clone(),
            score: score("ours"),
            baseline_score: score(if same_text { "ours" } else { "theirs" }),
            difference,
            worse: surely_worse || too_low,
            kinds: if same_text {
                Vec::new()
            } else {
                kinds::changes(set, (ours, theirs), Languages::of(set, metrics))
            },
            worst_lines: worst_lines(set, (ours, theirs), of_lines, &scale),
            scale,
            warning: (!failures.is_empty())
                .then(|| format!("quality is not compared: {}", failures.join("; "))),
        }
    }

    /// Whether the candidate's quality could be compared with the baseline's.
    pub fn is_compared(&self) -> bool {
        self.same_text || self.difference.is_some()
    }

    /// The kinds that changed and the lines that got worse most, as text; empty if nothing did.
    pub fn details(&self) -> String {
        let kinds: String = self.kinds.iter().map(|change| format!("  {}\n", change.about())).collect();
        kinds + &worse_lines::about(&self.worst_lines, &self.scale)
    }

    /// The comparison in a line.
    pub fn about(&self) -> String {
        let Self { system, test_set, differing_lines, .. } = self;
        let verdict = match self.worse {
            true => "worse",
            false if self.is_compared() => "not worse",
            false => "can't tell",
        };
        let figure =
            |score: Option<f64>| score.map_or_else(|| "unknown".into(), |score| format!("{score:.4}"));
        let (title, ours) = (&self.scale.title, figure(self.score));
        let texts =
            if self.same_text { "the same text".into() } else { format!("{differing_lines} lines differ") };
        let against = self.difference.map(|pair| {
            let (theirs, gain, p) = (figure(self.baseline_score), pair.difference, p_value(pair.p_worse));
            format!(" against {theirs} ({gain:+.4}, p {p}{})", by_permutation(&pair))
        });
        format!("{system} on {test_set}: {texts}, {title} {ours}{}: {verdict}", against.unwrap_or_default())
    }
}

/// The other test's answer, beside the bootstrap's.
fn by_permutation(pair: &Difference) -> String {
    let told = |p| format!("; two-sided: {} by bootstrap, {} by permutation", p_value(pair.p), p_value(p));
    pair.p_permutation.map_or_else(String::new, told)
}

/// Number of lines that differ; a line that one side lacks differs.
fn differing_lines(ours: &[String], theirs: &[String]) -> usize {
    ours.iter().zip(theirs).filter(|(a, b)| a != b).count() + ours.len().abs_diff(theirs.len())
}

/// Scores of the outputs by the first metric that suits the test set, and its scale. Speeds are compared in any
/// case.
fn scores(set: &TestSet, outputs: Vec<(&str, &[String])>, metrics: &Metrics) -> (Scale, scores::Answer) {
    let first = metrics.first_for(set);
    let name = first.map_or("bleu", Metric::name).to_owned();
    let unscored = first.and_then(Metric::scale).unwrap_or_else(|| Scale::unknown(&name));
    let first = Metrics { list: first.into_iter().cloned().collect(), ..metrics.clone() };
    if first.list.is_empty() || outputs.iter().any(|(_, answers)| answers.len() != set.source.len()) {
        return (unscored, scores::Answer::default());
    }
    if let Some(reason) = outputs.iter().find_map(|(_, answers)| scores::unscorable(answers)) {
        return (unscored, scores::Answer { failures: vec![reason], ..Default::default() });
    }
    let answer = scores::score(&[Work { set, outputs }], &first);
    (answer.scores.scale(&name).cloned().unwrap_or(unscored), answer)
}
