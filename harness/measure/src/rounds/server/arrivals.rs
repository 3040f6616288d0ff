//! The arrivals of a run: lines at random instants (a Poisson process), the same for all systems.
//!
//! The gaps are drawn once with mean 1 and divided by the rate. Runs at two rates thereby differ in nothing
//! but their speed, so that a search over rates isn't lost in the chance of single draws (common random
//! numbers).

use dyno_stats::Random;

/// Instants of `count` arrivals with mean gap 1. `purpose` and `seed` fix them.
pub fn unit_instants(seed: u64, purpose: &str, count: usize) -> Vec<f64> {
    let mut random = Random::new(seed, purpose);
    let next = |now: &mut f64, ()| {
        *now += random.exponential();
        Some(*now)
    };
    std::iter::repeat_n((), count).scan(0.0, next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_are_a_function_of_seed_and_purpose_alone() {
        let instants = unit_instants(1, "search", 1000);
        assert_eq!(instants, unit_instants(1, "search", 1000));
        assert_eq!(instants[..10], unit_instants(1, "search", 10), "a shorter run is a part of the longer");
        assert_ne!(instants, unit_instants(2, "search", 1000));
        assert_ne!(instants, unit_instants(1, "confirm", 1000));
    }

    #[test]
    fn counts_in_equal_windows_are_poisson() {
        // Of a Poisson process, the counts of windows have equal mean and variance.
        let instants = unit_instants(1, "search", 100_000);
        let mut counts = vec![0.0_f64; 9_900];
        instants.iter().filter(|&&at| at < 99_000.0).for_each(|at| counts[(at / 10.0) as usize] += 1.0);
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        let variance = counts.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / counts.len() as f64;
        assert!((mean - 10.0).abs() < 0.13, "{mean}");
        assert!((variance / mean - 1.0).abs() < 0.06, "{variance}");
    }
}
