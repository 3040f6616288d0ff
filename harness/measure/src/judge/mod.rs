//! Judgements: samples or answers in, a verdict out. Probes and rounds share them.
//!
//! They are pure functions: nothing here starts a process or looks at a clock.

pub mod answers;
pub mod launches;
pub mod length;
pub mod lines;
mod sample;

pub use length::Counted;
pub use sample::{Judgement, MOST_LONGER, Sample};
