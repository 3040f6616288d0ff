//! Order statistics: medians, their intervals, percentiles.

/// The median: of an even number the mean of the middle two. `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}

/// The interval of a median of 3, 5 or 9 rounds from their order statistics: minimum to maximum covers the
/// true median with 75 % and 93.8 %, second to eighth of nine with 96.1 % (binomial, p = ½).
pub fn median_interval(values: &[f64]) -> Option<(f64, f64)> {
    let sorted = sorted(values);
    let trim = usize::from(sorted.len() >= 9);
    Some((*sorted.get(trim)?, sorted[sorted.len() - 1 - trim]))
}

/// Nearest rank: the least value that at least `percent` of a hundred don't exceed. `None` where the number of
/// values can't bound it: 64 for p90, 130 for p95, 662 for p99 (binomial early stopping at 99 %, the protocol's
/// figures); up to p50 any number will do.
pub fn percentile(values: &[f64], percent: f64) -> Option<f64> {
    let needed = match percent {
        p if p <= 50.0 => 1,
        p if p <= 90.0 => 64,
        p if p <= 95.0 => 130,
        p if p <= 99.0 => 662,
        _ => 6636,
    };
    if values.len() < needed {
        return None;
    }
    let rank = (percent / 100.0 * values.len() as f64).ceil().max(1.0) as usize;
    Some(sorted(values)[rank - 1])
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_even_and_nothing() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn nine_rounds_drop_their_extremes() {
        let values: Vec<f64> = (1..=9).map(f64::from).collect();
        assert_eq!(median_interval(&values), Some((2.0, 8.0)));
        assert_eq!(median_interval(&values[..5]), Some((1.0, 5.0)));
        assert_eq!(median_interval(&[]), None);
    }

    #[test]
    fn a_percentile_is_withheld_where_lines_are_too_few() {
        let values: Vec<f64> = (1..=662).map(f64::from).collect();
        assert_eq!(percentile(&values, 99.0), Some(656.0));
        assert_eq!(percentile(&values[..661], 99.0), None);
        assert_eq!(percentile(&values[..100], 90.0), Some(90.0));
        assert_eq!(percentile(&values[..63], 90.0), None);
        assert_eq!(percentile(&values[..1], 50.0), Some(1.0));
    }
}
