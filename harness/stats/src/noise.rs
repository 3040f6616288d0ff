//! The noise floor: how much repeated measurements of one system differ.

use crate::order::{median, quantile, sorted};
use crate::random::Random;

/// Number of random splits of each system. The 95 % quantile of a few hundred differences is stable enough to
/// judge by.
const SPLITS: usize = 500;
/// Share of the differences within one system that stay below the floor.
const QUANTILE: f64 = 0.95;

/// Noise floor of a track, as |log ratio|: the bound below which 95 of 100 differences of one program with
/// itself stay, if each side has `rounds` rounds. Each of `groups` holds the rounds of one program: of a system,
/// or of a system together with its twin. The rounds are split at random into halves, and the medians of the
/// halves are compared. Every group has the same weight. `None` if no group has four rounds.
///
/// Halves are smaller than the samples that are compared later, so their difference is made smaller by the
/// ratio of the spreads of the two medians. Halves are odd, because that ratio is known for them.
pub fn noise_floor(groups: &[Vec<f64>], rounds: usize) -> Option<f64> {
    let mut random = Random::new(0, "halves of rounds");
    let groups = groups.iter().filter(|rounds| rounds.len() >= 4);
    let differences = groups.flat_map(|group| {
        let half = (group.len() / 2 - 1) | 1;
        let scale = (median_spread(rounds) / median_spread(half)).min(1.0);
        split_halves(group, half, &mut random).into_iter().map(move |difference| difference * scale)
    });
    quantile(&sorted(&differences.collect::<Vec<_>>()), QUANTILE)
}

/// Standard deviation of the median of an odd number of normal values, in those of one value: √(π / (2n + π −
/// 2)), within 1 % of the tables (0.6698 for three, 0.5360 for five, 0.4076 for nine: Sarhan & Greenberg 1956).
fn median_spread(n: usize) -> f64 {
    let pi = std::f64::consts::PI;
    (pi / (2.0 * n as f64 + pi - 2.0)).sqrt()
}

/// Noise floor of a ratio that was measured in pairs, from halves of the pairs. A drift that both sides of a
/// pair share is no noise of the ratio. The difference of two halves holds the noise of both halves; the
/// noise of one is smaller by √2.
pub fn paired_noise_floor(ratios: &[f64]) -> Option<f64> {
    if ratios.len() < 4 {
        return None;
    }
    let half = ratios.len() / 2;
    let differences = split_halves(ratios, half, &mut Random::new(0, "halves of pairs"));
    quantile(&sorted(&differences), QUANTILE).map(|floor| floor / std::f64::consts::SQRT_2)
}

fn split_halves(rounds: &[f64], half: usize, random: &mut Random) -> Vec<f64> {
    let mut mixed = rounds.to_vec();
    let mut split = || {
        random.shuffle(&mut mixed);
        let halves = [&mixed[..half], &mixed[half..2 * half]].map(median);
        halves[0].zip(halves[1]).map_or(0.0, |(a, b)| (a / b).ln().abs())
    };
    (0..SPLITS).map(|_| split()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Normal numbers by the sum of twelve uniform ones.
    fn noisy(random: &mut Random, n: usize, sigma: f64) -> Vec<f64> {
        let uniform = |random: &mut Random| random.draw() as f64 / u64::MAX as f64;
        let normal = |random: &mut Random| (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0;
        (0..n).map(|_| (sigma * normal(random)).exp()).collect()
    }

    #[test]
    fn the_floor_of_equal_rounds_is_zero_and_few_rounds_have_none() {
        assert_eq!(noise_floor(&[vec![2.0; 5]], 5), Some(0.0));
        assert_eq!(noise_floor(&[vec![1.0, 2.0, 3.0]], 3), None);
        assert_eq!(noise_floor(&[], 5), None);
    }

    #[test]
    fn the_floor_grows_with_the_noise_and_is_about_what_theory_says() {
        let mut random = Random::new(3, "noise");
        for sigma in [0.01, 0.05] {
            let groups: Vec<_> = (0..40).map(|_| noisy(&mut random, 18, sigma)).collect();
            // The median of nine normal numbers has a standard deviation of 0.4076 σ. The variance of the
            // middle order statistic of nine, 0.1661, is tabled in Sarhan & Greenberg 1956. The difference of
            // two independent medians spreads by √2 of this, and 95 % lie within 1.96 of that.
            let theory = 1.96 * 2f64.sqrt() * 0.4076 * sigma;
            let floor = noise_floor(&groups, 9).unwrap();
            assert!((floor / theory - 1.0).abs() < 0.15, "{floor} against {theory}");
            // Groups of five have halves of one round, yet tell the same about nine rounds.
            let few: Vec<_> = (0..200).map(|_| noisy(&mut random, 5, sigma)).collect();
            let floor = noise_floor(&few, 9).unwrap();
            assert!((floor / theory - 1.0).abs() < 0.15, "{floor} against {theory}");
        }
    }

    #[test]
    fn the_floor_of_pairs_ignores_drift_and_else_equals_that_of_rounds() {
        let drifting: Vec<f64> = (0..18).map(|i| 1.0 + f64::from(i)).collect();
        assert!(noise_floor(std::slice::from_ref(&drifting), 9).unwrap() > 0.5);
        assert_eq!(paired_noise_floor(&vec![1.02; drifting.len()]), Some(0.0), "both sides drifted alike");
        assert_eq!(paired_noise_floor(&[1.0; 3]), None);
        let mut random = Random::new(5, "pairs");
        let floors = (0..40).map(|_| {
            let sides = [noisy(&mut random, 18, 0.03), noisy(&mut random, 18, 0.03)];
            let ratios: Vec<f64> = sides[0].iter().zip(&sides[1]).map(|(a, b)| a / b).collect();
            (paired_noise_floor(&ratios).unwrap(), noise_floor(&sides, 9).unwrap())
        });
        let (paired, alone): (Vec<_>, Vec<_>) = floors.unzip();
        let ratio = median(&paired).unwrap() / median(&alone).unwrap();
        assert!((ratio - 1.0).abs() < 0.15, "{ratio}");
    }
}
