//! Spearman's rank correlation: whether two lists of numbers put things in the same order.
//!
//! Sentence encoders are scored by it: the likeness of two sentences' vectors against people's judgement of
//! the same pair (STS-B). Only the order counts, so that no scale has to be fitted.

/// Spearman's correlation of two lists of the same length, from -1 to 1. Equal values share the mean of their
/// ranks. 0 where a list has no two different values, since nothing can be told of its order.
///
/// # Panics
/// When the lists have different lengths.
pub fn spearman(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "a pair of values for each thing");
    pearson(&ranks(a), &ranks(b))
}

/// Ranks from 1; equal values have the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let mean = first as f64 + (equal.len() as f64 + 1.0) / 2.0;
        equal.iter().for_each(|at| ranks[*at] = mean);
        first += equal.len();
    }
    ranks
}

/// Pearson's correlation; 0 where a list has no spread.
fn pearson(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let (of_a, of_b) = (mean(a), mean(b));
    let (mut both, mut square_a, mut square_b) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (a - of_a, b - of_b);
        both += a * b;
        square_a += a * a;
        square_b += b * b;
    }
    let spread = (square_a * square_b).sqrt();
    if spread > 0.0 { both / spread } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_scipy() {
        // scipy.stats.spearmanr of SciPy 1.17.1
        for (a, b, expected) in GOLDENS {
            let found = spearman(a, b);
            assert!((found - expected).abs() < 1e-12, "{a:?} {b:?}: {found}");
        }
    }

    #[test]
    fn a_list_without_order_tells_nothing() {
        assert_eq!(spearman(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0]), 0.0);
        assert_eq!(spearman(&[], &[]), 0.0);
    }

    const GOLDENS: [(&[f64], &[f64], f64); 5] = [
        (&[1.0, 2.0, 3.0, 4.0, 5.0], &[5.0, 6.0, 7.0, 8.0, 7.0], 0.8207826816681233),
        (&[1.0, 2.0, 2.0, 3.0], &[1.0, 1.0, 2.0, 2.0], 0.7071067811865477),
        (&[0.1, -3.0, 2.5, 8.0, 8.0, 8.0], &[3.0, 2.0, 1.0, 0.0, 0.5, 0.5], -0.8932596002688613),
        (&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0], -1.0),
        (
            &[1.2, 2.7, 1.8, 3.0, 3.1, 0.3, 0.1, 4.2, 1.3, 1.2, 5.0, 2.4],
            &[0.84, 0.48, 0.64, 0.15, 0.63, 0.87, 0.52, 0.74, 0.67, 0.06, 0.76, 0.59],
            0.007005264683383462,
        ),
    ];
}
