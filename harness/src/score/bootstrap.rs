//! Corpus scores from sufficient statistics, and their uncertainty by resampling lines.
//!
//! A corpus score is a function of sums over lines, so that a resampled corpus needs sums only, not a new
//! count of n-grams: a thousand samples of a thousand lines take milliseconds. Every system's samples draw the
//! same lines, so that differences of samples are paired: what is hard for all drops out.

use serde::{Deserialize, Serialize};

use crate::random::Random;

/// What a metric counts on a line; the score of a corpus is a function of the sums.
pub(super) type Counts = Vec<u32>;

/// Resamples; sacrebleu's own default.
const SAMPLES: usize = 1000;
/// sacrebleu's default, too; any fixed number would do.
const SEED: u64 = 12345;
/// Share of samples outside the interval, on either side.
const TAIL: f64 = 0.025;

/// From sums over lines to a score in percent.
pub(super) type Metric = fn(&[u64]) -> f64;

/// Corpus BLEU (Papineni et al. 2002), with sacrebleu's default smoothing "exp": the k-th order without a match
/// counts 1/2ᵏ of a match (Chen & Cherry 2014, method 3). Sums: length of the answer, of the reference, matched
/// n-grams 1 to 4, n-grams 1 to 4.
pub(super) fn bleu(sums: &[u64]) -> f64 {
    let (length, reference, matches, totals) = (sums[0], sums[1], &sums[2..6], &sums[6..10]);
    let mut smooth = 1.0;
    let mut log_precision = 0.0;
    if matches.iter().all(|&n| n == 0) || totals.contains(&0) {
        return 0.0;
    }
    for (&matched, &total) in matches.iter().zip(totals) {
        let matched = match matched {
            0 => {
                smooth *= 2.0;
                1.0 / smooth
            }
            n => n as f64,
        };
        log_precision += (matched / total as f64).ln() / 4.0;
    }
    let brevity = if length < reference { 1.0 - reference as f64 / length as f64 } else { 0.0 };
    100.0 * (log_precision + brevity).exp()
}

/// Corpus chrF2 (Popović 2015; β = 2 weighs recall double): the F-score of precision and recall of character
/// n-grams, both averaged over the orders that occur on both sides, as sacrebleu does. Sums: for each order
/// n-grams of the answer, of the reference, matched.
pub(super) fn chrf(sums: &[u64]) -> f64 {
    let orders: Vec<&[u64]> = sums.chunks_exact(3).filter(|order| order[0] > 0 && order[1] > 0).collect();
    let average = |side: usize| {
        orders.iter().map(|order| order[2] as f64 / order[side] as f64).sum::<f64>() / orders.len() as f64
    };
    let (precision, recall) = (average(0), average(1));
    let both = 5.0 * precision * recall / (4.0 * precision + recall);
    if both.is_finite() { 100.0 * both } else { 0.0 }
}

/// One system's answers on one test set, by one metric.
pub(super) struct Sampled {
    /// The score of the corpus as it is.
    pub(super) score: f64,
    samples: Vec<f64>,
}

impl Sampled {
    /// Scores the corpus of `lines` and its resamples.
    pub(super) fn new(lines: &[Counts], metric: Metric) -> Self {
        let mut random = Random::new(SEED, "bootstrap over lines");
        let mut sample = || metric(&sum((0..lines.len()).map(|_| &lines[random.below(lines.len())])));
        Self { samples: (0..SAMPLES).map(|_| sample()).collect(), score: metric(&sum(lines.iter())) }
    }

    /// Half the width of the 95 % interval.
    pub(super) fn half_interval(&self) -> f64 {
        let (low, high) = interval(self.samples.clone());
        (high - low) / 2.0
    }

    /// How this differs from `other` on the same lines.
    pub(super) fn minus(&self, other: &Self) -> Difference {
        let difference = self.score - other.score;
        let samples: Vec<f64> = self.samples.iter().zip(&other.samples).map(|(a, b)| a - b).collect();
        let mean = samples.iter().sum::<f64>() / samples.len() as f64;
        let share = |count: usize| (count + 1) as f64 / (samples.len() + 1) as f64;
        let (low, high) = interval(samples.clone());
        Difference {
            difference,
            low,
            high,
            p: share(samples.iter().filter(|&d| (d - mean).abs() >= difference.abs()).count()),
            p_worse: share(samples.iter().filter(|&&d| d >= 0.0).count()),
            p_better: share(samples.iter().filter(|&&d| d <= 0.0).count()),
        }
    }
}

/// A difference of two scores on the same lines, with what paired bootstrap says of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// First minus second.
    pub difference: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Two-sided: how often a resample strays from the mean by as much as the difference is (Riezler & Maxwell
    /// 2005, as in sacrebleu).
    pub p: f64,
    /// One-sided: how often the first is no worse in a resample (Koehn 2004). Small if it is worse.
    pub p_worse: f64,
    /// The other way round: how often it is no better. Not one less the former: where few lines differ, many resamples draw none
    /// of them. Scores of an older dyno lack it.
    #[serde(default = "one")]
    pub p_better: f64,
}

fn one() -> f64 {
    1.0
}

impl Difference {
    /// Second minus first.
    #[must_use]
    pub fn reversed(self) -> Self {
        let (difference, low, high) = (-self.difference, -self.high, -self.low);
        Self { difference, low, high, p: self.p, p_worse: self.p_better, p_better: self.p_worse }
    }
}

fn interval(mut samples: Vec<f64>) -> (f64, f64) {
    samples.sort_unstable_by(f64::total_cmp);
    let cut = (samples.len() as f64 * TAIL) as usize;
    (samples[cut], samples[samples.len() - 1 - cut])
}

fn sum<'a>(lines: impl Iterator<Item = &'a Counts>) -> Vec<u64> {
    let mut sums = Vec::new();
    for line in lines {
        sums.resize(line.len(), 0);
        sums.iter_mut().zip(line).for_each(|(sum, &number)| *sum += u64::from(number));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bleu_is_what_sacrebleu_computes_from_the_same_counts() {
        // Counts and scores of sacrebleu 2.6.0 for three one-line corpora: an answer equal to its reference, one
        // cut short, and one with two words too many in it, which leaves two orders without a match.
        for (sums, expected) in [
            ([8, 8, 8, 7, 6, 5, 8, 7, 6, 5], 100.0),
            ([6, 8, 6, 5, 4, 3, 6, 5, 4, 3], 71.653_131_057_378_96),
            ([8, 8, 6, 3, 0, 0, 8, 7, 6, 5], 19.130_147_081_392_227),
        ] {
            assert!((bleu(&sums) - expected).abs() < 1e-9, "{} for {sums:?}", bleu(&sums));
        }
        assert_eq!(bleu(&[4, 4, 0, 0, 0, 0, 4, 3, 2, 1]), 0.0);
        assert_eq!(bleu(&[2, 2, 2, 1, 0, 0, 2, 1, 0, 0]), 0.0);
    }

    #[test]
    fn chrf_is_what_sacrebleu_computes_from_the_same_counts() {
        // sacrebleu 2.6.0: CHRF()._extract_corpus_statistics and corpus_score for "the cat sat" against "the cat
        // sits there", "ab" against "abc" (orders 3 to 6 are missing on one side), and "x" against "y".
        for (sums, expected) in [
            (vec![9, 15, 8, 8, 14, 6, 7, 13, 5, 6, 12, 4, 5, 11, 3, 4, 10, 2], 39.664_362_403_589_42),
            (vec![2, 3, 2, 1, 2, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 63.636_363_636_363_626),
            (vec![1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0.0),
            (vec![0; 18], 0.0),
        ] {
            assert!((chrf(&sums) - expected).abs() < 1e-9, "{} for {sums:?}", chrf(&sums));
        }
    }

    const GOOD: [u32; 10] = [10, 10, 10, 9, 8, 7, 10, 9, 8, 7];
    const BAD: [u32; 10] = [10, 10, 3, 1, 0, 0, 10, 9, 8, 7];

    fn corpus(pattern: &[&[u32]], lines: usize) -> Sampled {
        let lines: Vec<Counts> = pattern.iter().cycle().take(lines).map(|line| line.to_vec()).collect();
        Sampled::new(&lines, bleu)
    }

    #[test]
    fn equal_lines_have_no_spread_and_unequal_ones_do() {
        assert_eq!(corpus(&[&GOOD], 50).half_interval(), 0.0);
        let half = corpus(&[&GOOD, &BAD], 100).half_interval();
        assert!((2.0..15.0).contains(&half), "{half}");
    }

    #[test]
    fn a_pair_is_told_apart_as_its_lines_allow() {
        let mixed = corpus(&[&GOOD, &BAD], 100);
        let same = mixed.minus(&corpus(&[&GOOD, &BAD], 100));
        assert_eq!((same.difference, same.low, same.high, same.p, same.p_worse), (0.0, 0.0, 0.0, 1.0, 1.0));
        // Two lines in a hundred are better: each sample that draws them says so.
        let better = [&GOOD[..], &BAD].into_iter().cycle().take(98).chain([&GOOD[..], &GOOD]);
        let better = Sampled::new(&better.map(<[u32]>::to_vec).collect::<Vec<_>>(), bleu);
        let sure = corpus(&[&GOOD], 100).minus(&mixed);
        assert!(sure.p < 0.01 && sure.low > 0.0 && sure.p_worse > 0.99, "{sure:?}");
        let unsure = better.minus(&mixed);
        assert!(unsure.difference > 0.0 && unsure.p > 0.05 && unsure.low <= 0.0, "{unsure:?}");
        assert_eq!(unsure.reversed(), mixed.minus(&better));
        assert!(
            unsure.reversed().p_worse > 0.05,
            "one resample in three draws none of what differs: {unsure:?}"
        );
        assert!(mixed.minus(&corpus(&[&GOOD], 100)).p_worse < 0.01);
    }
}
