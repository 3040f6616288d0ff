//! Scale of a metric: which end is better, how wide it is, how its scores are written.

use dyno_measure::TestSet;
use dyno_stats::bootstrap::Difference;
use dyno_stats::{Estimate, Order};
use serde::{Deserialize, Serialize};

/// Significance level: the usual one, as in sacrebleu.
const SIGNIFICANT: f64 = 0.05;

/// The better end of a scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// A higher score is better, as for BLEU.
    #[default]
    Higher,
    /// A lower score is better, as for edit rates.
    Lower,
}

/// What a metric compares answers with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Needs {
    /// Source lines, which every test set has.
    Source,
    /// Reference translations.
    #[default]
    References,
    /// Gold scores of sentence pairs.
    Gold,
}

/// Scale of a metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// Name of the metric in campaigns and files.
    pub name: String,
    /// Title of the metric in tables.
    pub title: String,
    /// Better end.
    pub direction: Direction,
    /// Usual least and greatest score, where the metric has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// What the metric compares answers with.
    #[serde(default)]
    pub needs: Needs,
}

impl Scale {
    /// The scale of a metric without scores. Its direction is unknown, and matters to no score.
    pub fn unknown(name: &str) -> Self {
        let (direction, needs) = (Direction::Higher, Needs::Source);
        Self { name: name.into(), title: name.into(), direction, range: None, needs }
    }

    /// Whether the metric can score answers on `set`. Answers on sets with gold scores are vectors, which
    /// only a metric of vectors reads.
    pub fn suits(&self, set: &TestSet) -> bool {
        match self.needs {
            Needs::Source => set.gold.is_empty(),
            Needs::References => !set.references.is_empty(),
            Needs::Gold => !set.gold.is_empty(),
        }
    }

    /// Whether a higher score is better.
    pub fn is_higher_better(&self) -> bool {
        self.direction == Direction::Higher
    }

    /// The worst of `scores`, which counts for a system: it may translate otherwise in another track.
    pub fn worst(&self, scores: impl Iterator<Item = Estimate>) -> Option<Estimate> {
        scores.min_by(|a, b| self.gain(a.value).total_cmp(&self.gain(b.value)))
    }

    /// The score as a number of which more is better.
    pub fn gain(&self, score: f64) -> f64 {
        if self.is_higher_better() { score } else { -score }
    }

    /// Decimals of a score: three digits over the width of the scale, as BLEU has them.
    pub fn decimals(&self) -> usize {
        match self.range.map(|[low, high]| high - low) {
            Some(width) if width >= 100.0 => 1,
            Some(width) if width >= 10.0 => 2,
            _ => 4,
        }
    }

    /// A score, with half of its interval where that is known.
    pub fn text(&self, score: f64, half: Option<f64>) -> String {
        let decimals = self.decimals();
        let doubt = half.filter(|&half| half > 0.0).map(|half| format!(" ±{half:.decimals$}"));
        format!("{score:.decimals$}{}", doubt.unwrap_or_default())
    }

    /// The title and a score with half of its interval: "BLEU 36.1 ±1.9".
    pub fn titled(&self, score: f64, half: Option<f64>) -> String {
        format!("{} {}", self.title, self.text(score, half))
    }

    /// Order of two scores by their intervals. A score without an interval can't be told from any other.
    pub fn order_of(&self, a: &Estimate, b: &Estimate) -> Order {
        match () {
            () if a.low == a.high || b.low == b.high => Order::Unclear,
            () if self.is_higher_better() => a.order(b),
            () => b.order(a),
        }
    }

    /// Order of two texts by the paired bootstrap.
    pub fn order(&self, pair: &Difference) -> Order {
        match () {
            () if pair.p >= SIGNIFICANT => Order::Unclear,
            () if self.gain(pair.difference) > 0.0 => Order::Better,
            () => Order::Worse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_stats::bootstrap::Sampled;

    #[test]
    fn the_better_end_decides_the_order() {
        let (low, high) = (Sampled::mean(&[0.1; 30]), Sampled::mean(&[0.9; 30]));
        let mut scale = Scale::unknown("m");
        assert_eq!(scale.order(&high.minus(&low)), Order::Better);
        assert_eq!(scale.order(&low.minus(&high)), Order::Worse);
        assert_eq!(scale.order(&low.minus(&low)), Order::Unclear);
        scale.direction = Direction::Lower;
        assert_eq!(scale.order(&high.minus(&low)), Order::Worse);
        assert!(scale.gain(0.1) > scale.gain(0.9));
    }

    #[test]
    fn scores_without_intervals_have_no_order() {
        let mut scale = Scale::unknown("m");
        let (low, high) = (Estimate::give_or_take(0.1, 0.01), Estimate::give_or_take(0.9, 0.01));
        assert_eq!(scale.order_of(&high, &low), Order::Better);
        assert_eq!(scale.order_of(&Estimate::exactly(0.9), &low), Order::Unclear);
        scale.direction = Direction::Lower;
        assert_eq!(scale.order_of(&high, &low), Order::Worse);
    }

    #[test]
    fn digits_fit_the_width_of_the_scale() {
        for (range, text) in [
            (Some([0.0, 100.0]), "36.1 ±1.9"),
            (Some([0.0, 25.0]), "36.12 ±1.88"),
            (Some([0.0, 1.0]), "36.1234 ±1.8765"),
            (None, "36.1234 ±1.8765"),
        ] {
            let scale = Scale { range, ..Scale::unknown("m") };
            assert_eq!(scale.text(36.1234, Some(1.8765)), text);
        }
        assert_eq!(Scale::unknown("m").titled(0.5, Some(0.0)), "m 0.5000");
    }
}
