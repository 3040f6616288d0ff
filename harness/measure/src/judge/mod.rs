//! Judgements: samples or answers in, a verdict out. Probes and rounds share them.
//!
//! They are pure functions: nothing here starts a process or looks at a clock. Each limit leaves room for what
//! honest systems do: a batch shortlist gets smaller with repeated lines, by about 20 % on Marian.
//!
//! `lines` and `launches` judge times, `answers` and `length` texts.

pub mod answers;
pub mod launches;
pub mod length;
pub mod lines;
mod sample;

pub use sample::{Judgement, Sample};
