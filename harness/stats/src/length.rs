//! Latency by source length: the fixed cost of a line, and the cost of each further word.

use std::collections::BTreeMap;

use crate::order::median;

/// Lines of one source length.
#[derive(Clone, Debug, PartialEq)]
pub struct LengthGroup {
    /// Number of source words of each line.
    pub words: usize,
    /// Number of lines.
    pub lines: usize,
    /// Median latency of these lines.
    pub median_ms: f64,
}

/// Straight line through latency by length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LengthFit {
    /// Cost of a line, independent of its length.
    pub fixed_ms: f64,
    /// Cost of each further word.
    pub word_ms: f64,
}

/// Groups (words, milliseconds) by words, ascending. Empty lines are left out, because systems answer them in
/// a path of their own.
pub fn by_length(lines: impl IntoIterator<Item = (usize, f64)>) -> Vec<LengthGroup> {
    let mut groups: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (words, ms) in lines.into_iter().filter(|&(words, _)| words > 0) {
        groups.entry(words).or_default().push(ms);
    }
    let group = |(words, ms): (usize, Vec<f64>)| {
        Some(LengthGroup { words, lines: ms.len(), median_ms: median(&ms)? })
    };
    groups.into_iter().filter_map(group).collect()
}

/// Theil–Sen estimator (Sen 1968): the median slope over all pairs of points, then the median of the
/// remainders. Up to 29 % of wild points don't move the result, and latencies have such points. The points
/// are the groups. Each pair of groups therefore has the weight of all its pairs of lines. `None` for fewer
/// than two lengths.
pub fn fit_length(groups: &[LengthGroup]) -> Option<LengthFit> {
    let pairs = groups.iter().enumerate().flat_map(|(i, a)| groups[i + 1..].iter().map(move |b| (a, b)));
    let slope = |(a, b): (&LengthGroup, &LengthGroup)| {
        ((b.median_ms - a.median_ms) / (b.words as f64 - a.words as f64), (a.lines * b.lines) as f64)
    };
    let word_ms = weighted_median(pairs.map(slope).collect())?;
    let left = |group: &LengthGroup| (group.median_ms - word_ms * group.words as f64, group.lines as f64);
    Some(LengthFit { fixed_ms: weighted_median(groups.iter().map(left).collect())?, word_ms })
}

/// Least value at which half of the weight is reached.
fn weighted_median(mut values: Vec<(f64, f64)>) -> Option<f64> {
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let half = values.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut reached = 0.0;
    let at = values.iter().find(|(_, weight)| {
        reached += weight;
        reached >= half
    });
    at.map(|&(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn lines_are_grouped_by_length_without_empty_ones() {
        let groups = by_length([(3, 5.0), (0, 9.0), (3, 1.0), (1, 2.0), (3, 3.0)]);
        assert_eq!(
            groups,
            [
                LengthGroup { words: 1, lines: 1, median_ms: 2.0 },
                LengthGroup { words: 3, lines: 3, median_ms: 3.0 }
            ]
        );
    }

    #[test]
    fn the_fit_finds_a_known_cost_despite_outliers() {
        let mut random = Random::new(5, "lines");
        let line = |random: &mut Random| {
            let words = 1 + random.below(40);
            let noise = random.draw() as f64 / u64::MAX as f64 - 0.5;
            // One line in seven was disturbed, by up to a hundredfold.
            let wild = if random.below(7) == 0 { 100.0 } else { 0.0 };
            (words, 2.0 + 0.3 * words as f64 + 0.1 * noise + wild)
        };
        let lines: Vec<_> = (0..2000).map(|_| line(&mut random)).collect();
        let fit = fit_length(&by_length(lines)).unwrap();
        assert!((fit.fixed_ms - 2.0).abs() < 0.05, "{fit:?}");
        assert!((fit.word_ms - 0.3).abs() < 0.003, "{fit:?}");
    }

    #[test]
    fn one_length_has_no_slope() {
        assert_eq!(fit_length(&by_length([(4, 1.0), (4, 2.0)])), None);
        assert_eq!(fit_length(&[]), None);
    }
}
