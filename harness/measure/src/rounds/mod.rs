//! Rounds: a fresh process of each system under a track's protocol, from launch to record.

mod answers;
pub mod breakdown;
pub mod cost;
pub mod filling;
mod fresh;
mod group;
pub mod latency;
mod launch_size;
mod measured;
mod observed;
pub mod part;
pub mod server;
pub mod throughput;

pub use group::{measure, measure_together};
pub use measured::{Measured, refuse};
