//! Statistics for benchmarks: pure functions of samples, without clock, file or machine.
//!
//! Tests compare each function with a known answer. Random draws are seeded and give the same sequence on
//! every host.
//!
//! Rounds of a benchmark are few and not normally distributed. All results about rounds therefore rest on
//! ranks: medians, order statistics, rank tests. The bootstrap resamples lines of text only ([`bootstrap`]),
//! never a handful of rounds.
//!
//! ```
//! use dyno_stats::{mann_whitney, median_interval};
//! let (before, after) = ([99.0, 100.0, 101.0, 103.0, 98.0], [108.0, 109.0, 107.0, 111.0, 110.0]);
//! let speed = median_interval(&before).expect("five rounds");
//! assert_eq!((speed.low, speed.value, speed.high), (98.0, 100.0, 103.0));
//! assert!(mann_whitney(&before, &after) < 0.01, "no round of the one is as fast as any of the other");
//! ```
//!
//! Left out on purpose: statistics that need a normal distribution, and means of times.

pub mod bootstrap;
mod correlation;
mod estimate;
mod frontier;
mod grouped;
mod length;
mod lines;
mod noise;
pub mod numbers;
mod order;
mod permutation;
mod random;
mod rank;
mod share;

pub use correlation::spearman;
pub use estimate::Estimate;
pub use frontier::{Order, Standing, against, standings};
pub use grouped::grouped;
pub use length::{LengthFit, LengthGroup, by_length, fit_length};
pub use noise::{noise_floor, paired_noise_floor};
pub use order::{
    mean, median, median_coverage, median_interval, percentile, percentile_bound, quantile, sorted,
};
pub use random::Random;
pub use rank::{
    fisher_greater, holm, mann_whitney, mann_whitney_less, sign_test, signed_rank, signed_rank_less,
};
pub use share::{GRANTED, is_beyond, most_by_chance};
