//! Order statistics: medians and percentiles, with intervals that hold for every distribution.

use crate::estimate::Estimate;

/// Median; for an even number of values, the mean of the middle two. `None` for no values.
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}

/// Mean. `None` for no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Least coverage of a median's interval, where there are enough values: five rounds, minimum to maximum.
const WANTED_COVERAGE: f64 = 1.0 - 2.0 / 32.0;

/// Median with its interval between two order statistics: the k-th value from either end. The largest k is
/// taken whose interval still covers 93.8 %, else the minimum and maximum. The interval misses the true
/// median if fewer than k of n values fall on one side: 2 · P(Binomial(n, ½) < k). Three values cover 75 %,
/// five 93.8 %, nine (second to eighth) 96.1 %.
pub fn median_interval(values: &[f64]) -> Option<Estimate> {
    let (value, sorted, (k, _)) = (median(values)?, sorted(values), place_and_coverage(values.len()));
    Some(Estimate { value, low: sorted[k - 1], high: sorted[sorted.len() - k] })
}

/// Probability that the interval of the median of `n` values holds the true median.
pub fn median_coverage(n: usize) -> f64 {
    place_and_coverage(n).1
}

/// The k of the interval of `n` values, and its coverage.
fn place_and_coverage(n: usize) -> (usize, f64) {
    let coverage = |k: usize| 1.0 - 2.0 * binomial_below(n, 0.5, k);
    let k = (1..=n.div_ceil(2)).rev().find(|&k| coverage(k) >= WANTED_COVERAGE).unwrap_or(1);
    (k, coverage(k))
}

/// Probability that a true percentile lies below its printed bound.
const BOUND_CONFIDENCE: f64 = 0.99;

/// Number of slowest values that may lie above the bound of a percentile: the largest t with P(Binomial(n, 1
/// − p) ≤ t) ≤ 1 %. If at most t of n values exceed a number, the percentile lies below that number with 99 %
/// confidence (the early-stopping rule of MLPerf's load generator). At least one value must lie above the
/// bound. Hence 64 values for p90, 130 for p95, 662 for p99, 6,636 for p99.9.
fn slower_than_bound(n: usize, percent: f64) -> Option<usize> {
    let tail = 1.0 - percent / 100.0;
    let mut log_probability = n as f64 * (-tail).ln_1p();
    let (mut below, mut found) = (0.0, None);
    for t in 0..n {
        below += log_probability.exp();
        if below > 1.0 - BOUND_CONFIDENCE {
            break;
        }
        found = Some(t);
        log_probability += ((n - t) as f64 / (t + 1) as f64).ln() + (tail / (1.0 - tail)).ln();
    }
    found.filter(|&t| t >= 1)
}

/// Nearest-rank percentile: the least value such that at least `percent` of a hundred values lie at or below
/// it. `None` above the median if there are too few values for a bound.
pub fn percentile(values: &[f64], percent: f64) -> Option<f64> {
    if percent > 50.0 {
        slower_than_bound(values.len(), percent)?;
    }
    quantile(&sorted(values), percent / 100.0)
}

/// One-sided bound: the true percentile lies below it with 99 % confidence. `None` for too few values.
pub fn percentile_bound(values: &[f64], percent: f64) -> Option<f64> {
    let slower = slower_than_bound(values.len(), percent)?;
    sorted(values).get(values.len() - 1 - slower).copied()
}

/// P(Binomial(n, p) < k), for n up to some hundreds.
pub(super) fn binomial_below(n: usize, p: f64, k: usize) -> f64 {
    let mut probability = (1.0 - p).powi(n as i32);
    (0..k).fold(0.0, |sum, i| {
        let term = probability;
        probability *= (n - i) as f64 / (i + 1) as f64 * p / (1.0 - p);
        sum + term
    })
}

/// Least of the `sorted` values that at least `share` of them don't exceed.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// The values in ascending order.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn count_to(n: usize) -> Vec<f64> {
        (1..=n).map(|i| i as f64).collect()
    }

    #[test]
    fn medians_of_odd_even_and_nothing() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn intervals_of_medians_are_the_protocols() {
        for (n, low, high, coverage) in [
            (1, 1.0, 1.0, 0.0),
            (3, 1.0, 3.0, 0.75),
            (5, 1.0, 5.0, 0.9375),
            (9, 2.0, 8.0, 0.9609375),
            // scipy.stats.binom.cdf(k - 1, n, .5), the largest k that leaves enough.
            (15, 4.0, 12.0, 0.96484375),
            (30, 10.0, 21.0, 0.957_226_054_742_932_3),
        ] {
            let interval = median_interval(&count_to(n)).unwrap();
            assert_eq!((interval.low, interval.high), (low, high), "{n}");
            assert!((median_coverage(n) - coverage).abs() < 1e-12, "{n}: {}", median_coverage(n));
        }
        assert_eq!(median_interval(&[]), None);
    }

    #[test]
    fn the_interval_covers_the_true_median_as_often_as_it_says() {
        let mut random = Random::new(7, "coverage");
        let covered = (0..20_000).filter(|_| {
            let values: Vec<f64> = (0..9).map(|_| random.draw() as f64).collect();
            let interval = median_interval(&values).unwrap();
            (interval.low..=interval.high).contains(&(u64::MAX as f64 / 2.0))
        });
        // 20,000 draws of a chance of 0.961 spread by 0.0014.
        let share = covered.count() as f64 / 20_000.0;
        assert!((share - 0.9609).abs() < 0.006, "{share}");
    }

    #[test]
    fn the_least_numbers_of_lines_are_the_protocols() {
        for (percent, least) in [(90.0, 64), (95.0, 130), (99.0, 662), (99.9, 6636)] {
            assert!(percentile(&count_to(least), percent).is_some(), "p{percent} of {least}");
            assert_eq!(percentile(&count_to(least - 1), percent), None, "p{percent} of {}", least - 1);
            assert_eq!(percentile_bound(&count_to(least), percent), Some((least - 1) as f64));
        }
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        assert_eq!(percentile(&count_to(662), 99.0), Some(656.0));
        assert_eq!(percentile(&count_to(100), 90.0), Some(90.0));
        assert_eq!(percentile(&[5.0], 50.0), Some(5.0));
        assert_eq!(percentile(&[], 50.0), None);
    }

    #[test]
    fn a_bound_leaves_as_many_above_as_the_binomial_allows() {
        // scipy 1.17: binom.cdf(17, 3003, .01) = .00695, binom.cdf(18, 3003, .01) = .01243.
        assert_eq!(percentile_bound(&count_to(3003), 99.0), Some(2986.0));
        // binom.cdf(78, 1000, .1) = .00987, binom.cdf(79, 1000, .1) = .01327.
        assert_eq!(percentile_bound(&count_to(1000), 90.0), Some(922.0));
    }

    #[test]
    fn the_bound_holds_in_99_of_100_samples() {
        let mut random = Random::new(11, "bounds");
        let draws = 4000;
        let missed = (0..draws).filter(|_| {
            let values: Vec<f64> = (0..200).map(|_| random.draw() as f64 / u64::MAX as f64).collect();
            percentile_bound(&values, 95.0).unwrap() < 0.95
        });
        assert!(missed.count() <= draws / 100 + 25, "more misses than 1 % and its spread");
    }
}
