//! The engine held to the original implementation: ids, vectors of tokens, pooling, and what it refuses.

#![allow(clippy::unwrap_used)] // helpers of tests, too, fail by panicking

mod drawn;
mod goldens;
mod pooling;
mod refusals;
mod sinks;
mod support;
mod tokens;
