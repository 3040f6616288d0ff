//! Numbers derived from what was measured: pure functions of samples, without clock, file or machine, so that
//! each can be held against a known answer. What is random here is seeded.
//!
//! Rounds are few and not normal, so that everything rests on ranks: medians, order statistics, rank tests.
//! A bootstrap is drawn over lines and sentences only (`score`), never over a handful of rounds.

mod frontier;
mod length;
mod noise;
mod order;
mod rank;

pub use frontier::{Order, Standing, standings};
pub use length::{LengthFit, by_length, fit_length};
pub use noise::{noise_floor, paired_noise_floor, paired_ratio};
pub use order::{Interval, mean, median, median_interval, percentile, percentile_bound};
pub use rank::{holm, mann_whitney, mann_whitney_less, sign_test, signed_rank, signed_rank_less};
