//! Seeded random numbers for orders that must be random and repeatable.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators"): 64 bits of state.
/// It passes BigCrush, and gives the same sequence on every host.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// A generator for one purpose. `seed` and `purpose` together fix the sequence, so that two uses of one
    /// seed get different numbers.
    pub fn new(seed: u64, purpose: &str) -> Self {
        // FNV-1a, with the offset basis and prime of its specification: enough to separate purposes.
        let hash = |h: u64, byte: u8| (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        let state = purpose.bytes().fold(0xcbf2_9ce4_8422_2325 ^ seed, hash);
        Self(SplitMix64::from_seed(state.to_le_bytes()))
    }

    /// The next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, by multiply-shift. The bias is below 2⁻³² for the sizes of test sets.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.draw()) * bound as u128) >> 64) as usize
    }

    /// A number of the exponential distribution with mean 1, by inversion.
    pub fn exponential(&mut self) -> f64 {
        // The 53 bits of a double's significand, as a number above 0 and at most 1.
        let uniform = ((self.draw() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        -uniform.ln()
    }

    /// Shuffles `items` (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// The numbers below `n` in random order.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        self.shuffle(&mut order);
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_published_sequence() {
        // First outputs for state 1234567, as in the reference implementation's test vector.
        let mut random = Random(SplitMix64::from_seed(1_234_567_u64.to_le_bytes()));
        let first: Vec<u64> = (0..3).map(|_| random.draw()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn exponential_numbers_have_the_distribution_s_mean_and_quantiles() {
        let mut random = Random::new(1, "arrivals");
        let mut drawn: Vec<f64> = (0..100_000).map(|_| random.exponential()).collect();
        // Standard errors: 1/√n of the mean, √(q/(1 − q)/n) of quantile q, each taken four times.
        let error = |q: f64| 4.0 * (q / (1.0 - q) / 100_000.0).sqrt();
        assert!((drawn.iter().sum::<f64>() / 100_000.0 - 1.0).abs() < 4.0 / 100_000_f64.sqrt());
        drawn.sort_unstable_by(f64::total_cmp);
        assert!(drawn[0] >= 0.0);
        for q in [0.1_f64, 0.5, 0.9, 0.99] {
            let found = drawn[(q * 100_000.0) as usize];
            assert!((found + (1.0 - q).ln()).abs() < error(q), "quantile {q}: {found}");
        }
    }

    #[test]
    fn a_permutation_holds_every_number_once_and_depends_on_seed_and_purpose() {
        let order = Random::new(1, "lines").permutation(100);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        assert_eq!(order, Random::new(1, "lines").permutation(100));
        assert_ne!(order, Random::new(2, "lines").permutation(100));
        assert_ne!(order, Random::new(1, "cells").permutation(100));
    }
}
