//! Paired bootstrap over lines: the uncertainty of a corpus score, and of the difference between two scores.
//!
//! A corpus score is a function of sums over lines. A resampled corpus therefore needs new sums only: a
//! thousand samples of a thousand lines take milliseconds. The samples of all systems draw the same lines.
//! Differences of samples are thereby paired, and the difficulty of a line cancels out.

use serde::{Deserialize, Serialize};

pub use crate::lines::{Line, Metric};

use crate::lines::sum;
use crate::permutation::p_value;
use crate::random::Random;

/// Number of resamples; sacrebleu's own default.
const SAMPLES: usize = 1000;
/// Seed of the resamples; sacrebleu's default too. Any fixed number would do.
const SEED: u64 = 12345;
/// Share of samples on each side of the interval.
const TAIL: f64 = 0.025;

/// The score of one text by one metric, with its resamples.
pub struct Sampled {
    /// Score of the whole corpus.
    pub score: f64,
    samples: Vec<f64>,
    /// What the score follows from, where lines of two texts can be exchanged.
    lines: Option<(Vec<Line>, Metric)>,
}

impl Sampled {
    /// Scores the corpus of `lines` and its resamples.
    pub fn new(lines: Vec<Line>, metric: Metric) -> Self {
        let width = lines.first().map_or(2, Vec::len); // a text without lines has the sums of a mean
        let sampled = Self::of(lines.len(), |drawn| metric(&sum(drawn.map(|line| &lines[line]), width)));
        Self { lines: Some((lines, metric)), ..sampled }
    }

    /// Scores a corpus whose score is the mean of the scores of its `lines`.
    pub fn mean(lines: &[f64]) -> Self {
        Self::new(lines.iter().map(|&score| vec![score, 1.0]).collect(), |sums| sums[0] / sums[1])
    }

    /// Scores the corpus of all lines, then resamples: for scores that are no functions of sums. Every metric
    /// draws the same lines.
    pub fn of(lines: usize, score: impl Fn(&mut dyn Iterator<Item = usize>) -> f64) -> Self {
        let mut random = Random::new(SEED, "bootstrap over lines");
        let mut sample = || score(&mut (0..lines).map(|_| random.below(lines)));
        Self { samples: (0..SAMPLES).map(|_| sample()).collect(), score: score(&mut (0..lines)), lines: None }
    }

    /// Half the width of the 95 % interval.
    pub fn half_interval(&self) -> f64 {
        let (low, high) = interval(self.samples.clone());
        (high - low) / 2.0
    }

    /// The difference between this score and `other`, paired by lines.
    pub fn minus(&self, other: &Self) -> Difference {
        let difference = self.score - other.score;
        let samples: Vec<f64> = self.samples.iter().zip(&other.samples).map(|(a, b)| a - b).collect();
        let mean = samples.iter().sum::<f64>() / samples.len() as f64;
        let share = |count: usize| (count + 1) as f64 / (samples.len() + 1) as f64;
        let (low, high) = interval(samples.clone());
        let lines = self.lines.as_ref().zip(other.lines.as_ref());
        Difference {
            difference,
            low,
            high,
            p: share(samples.iter().filter(|&d| (d - mean).abs() >= difference.abs()).count()),
            p_worse: share(samples.iter().filter(|&&d| d >= 0.0).count()),
            p_better: share(samples.iter().filter(|&&d| d <= 0.0).count()),
            p_permutation: lines.and_then(|((a, metric), (b, _))| p_value(a, b, *metric)),
        }
    }
}

/// Difference between two scores on the same lines, with the results of the paired bootstrap.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// First score minus second score.
    pub difference: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// Two-sided p value: share of resamples that differ from the mean by at least the difference (Riezler &
    /// Maxwell 2005, as in sacrebleu).
    pub p: f64,
    /// One-sided p value: share of resamples in which the first score is at least the second (Koehn 2004). A
    /// small value means that the first score is worse.
    pub p_worse: f64,
    /// One-sided p value: share of resamples in which the first score is at most the second. This value is
    /// not 1 − `p_worse`: where few lines differ, many resamples draw none of them. Scores of an older dyno
    /// lack this value.
    #[serde(default = "one")]
    pub p_better: f64,
    /// Two-sided p value by exchanges of lines between the texts: share of exchanges whose texts differ at
    /// least as much (Riezler & Maxwell 2005). None for a score that is no function of sums, and in scores of
    /// an older dyno.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_permutation: Option<f64>,
}

fn one() -> f64 {
    1.0
}

impl Difference {
    /// The same difference as second score minus first score.
    #[must_use]
    pub fn reversed(self) -> Self {
        let (difference, low, high) = (-self.difference, -self.high, -self.low);
        Self { difference, low, high, p_worse: self.p_better, p_better: self.p_worse, ..self }
    }

    /// The same difference of a metric of which less is better: worse and better change places.
    #[must_use]
    pub fn where_less_is_better(self) -> Self {
        Self { p_worse: self.p_better, p_better: self.p_worse, ..self }
    }
}

fn interval(mut samples: Vec<f64>) -> (f64, f64) {
    samples.sort_unstable_by(f64::total_cmp);
    let cut = (samples.len() as f64 * TAIL) as usize;
    (samples[cut], samples[samples.len() - 1 - cut])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Precision in percent, from the sums of matched words and of all words.
    fn precision(sums: &[f64]) -> f64 {
        100.0 * sums[0] / sums[1]
    }

    const GOOD: [f64; 2] = [10.0, 10.0];
    const BAD: [f64; 2] = [3.0, 10.0];

    fn corpus(pattern: &[&[f64]], lines: usize) -> Sampled {
        let lines = pattern.iter().cycle().take(lines).map(|line| line.to_vec()).collect();
        Sampled::new(lines, precision)
    }

    #[test]
    fn equal_lines_have_no_spread_and_unequal_ones_do() {
        assert_eq!(corpus(&[&GOOD], 50).half_interval(), 0.0);
        let half = corpus(&[&GOOD, &BAD], 100).half_interval();
        // A binomial share of 1/2 over 100 lines has a standard deviation of 5 %. Of the 70 points between
        // the two kinds of lines, 5 % are 3.5; 1.96 of these are 6.9.
        assert!((6.0..8.0).contains(&half), "{half}");
    }

    #[test]
    fn the_mean_of_line_scores_is_resampled_like_any_metric_of_sums() {
        let counts: Vec<Line> =
            [&GOOD, &BAD].into_iter().cycle().take(60).map(|line| line.to_vec()).collect();
        let scores: Vec<f64> = counts.iter().map(|line| 10.0 * line[0]).collect();
        let (sums, means) = (Sampled::new(counts, precision), Sampled::mean(&scores));
        assert!((sums.score - means.score).abs() < 1e-9);
        assert!((sums.half_interval() - means.half_interval()).abs() < 1e-9);
    }

    #[test]
    fn differences_have_the_p_values_that_their_lines_allow() {
        let mixed = corpus(&[&GOOD, &BAD], 100);
        let same = mixed.minus(&corpus(&[&GOOD, &BAD], 100));
        assert_eq!((same.difference, same.low, same.high, same.p, same.p_worse), (0.0, 0.0, 0.0, 1.0, 1.0));
        let sure = corpus(&[&GOOD], 100).minus(&mixed);
        assert!(sure.p < 0.01 && sure.low > 0.0 && sure.p_worse > 0.99, "{sure:?}");
        assert_eq!((same.p_permutation, sure.p_permutation), (Some(1.0), Some(1.0 / 1001.0)));
        // One line in a hundred is better. A sample shows this if it draws the line, as two in three samples
        // do.
        let better = [&GOOD[..], &BAD].into_iter().cycle().take(99).chain([&GOOD[..]]);
        let better = Sampled::new(better.map(<[f64]>::to_vec).collect(), precision);
        let unsure = better.minus(&mixed);
        assert!(unsure.difference > 0.0 && unsure.p > 0.05 && unsure.low <= 0.0, "{unsure:?}");
        assert_eq!(unsure.p_permutation, Some(1.0), "a line may be either text's");
        assert_eq!(unsure.reversed(), mixed.minus(&better));
        assert!(unsure.reversed().p_worse > 0.05, "{unsure:?}");
        assert!(mixed.minus(&corpus(&[&GOOD], 100)).p_worse < 0.01);
    }
}
