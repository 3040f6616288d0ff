//! BLEU from sufficient statistics, and its interval by resampling lines.
//!
//! A corpus score is a function of sums over lines, so that a resampled corpus needs sums only, not a new
//! count of n-grams: a thousand samples of a thousand lines take milliseconds.

use crate::random::Random;

/// Of a line: length of the answer, length of the reference, matched n-grams 1 to 4, n-grams 1 to 4.
type Line = [u32; 10];
/// The same, summed.
type Sums = [u64; 10];

/// Resamples; sacrebleu's own default.
const SAMPLES: usize = 1000;
/// sacrebleu's default, too; any fixed number would do.
const SEED: u64 = 12345;

/// Sums over lines.
pub(super) fn sum<'a>(lines: impl Iterator<Item = &'a Line>) -> Sums {
    lines.fold([0; 10], |mut sums, line| {
        sums.iter_mut().zip(line).for_each(|(sum, &number)| *sum += u64::from(number));
        sums
    })
}

/// Corpus BLEU in percent (Papineni et al. 2002), with sacrebleu's default smoothing "exp": the k-th order
/// without a match counts 1/2ᵏ of a match (Chen & Cherry 2014, method 3).
pub(super) fn bleu(sums: &Sums) -> f64 {
    let [length, reference, counts @ ..] = *sums;
    let (matches, totals) = counts.split_at(4);
    let mut smooth = 1.0;
    let mut log_precision = 0.0;
    if matches.iter().all(|&n| n == 0) {
        return 0.0;
    }
    for (&matched, &total) in matches.iter().zip(totals) {
        if total == 0 {
            return 0.0;
        }
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

/// Half the width of the 95 % interval over resampled corpora.
pub(super) fn half_interval(lines: &[Line]) -> f64 {
    let mut random = Random::new(SEED, "bootstrap over lines");
    let mut scores: Vec<f64> = (0..SAMPLES)
        .map(|_| bleu(&sum((0..lines.len()).map(|_| &lines[random.below(lines.len())]))))
        .collect();
    scores.sort_unstable_by(f64::total_cmp);
    // 2.5 % of the samples lie on either side.
    let cut = SAMPLES / 40;
    (scores[SAMPLES - 1 - cut] - scores[cut]) / 2.0
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
    fn equal_lines_have_no_spread_and_unequal_ones_do() {
        let good = [10, 10, 10, 9, 8, 7, 10, 9, 8, 7];
        let bad = [10, 10, 3, 1, 0, 0, 10, 9, 8, 7];
        assert_eq!(half_interval(&[good; 50]), 0.0);
        let mixed: Vec<Line> = [good, bad].into_iter().cycle().take(100).collect();
        let half = half_interval(&mixed);
        assert!((2.0..15.0).contains(&half), "{half}");
    }
}
