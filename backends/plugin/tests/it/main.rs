//! The C ABI from both sides, inside one process. What a process of its own is needed for is tested with
//! dyno.
#![allow(clippy::unwrap_used)] // helpers of tests fail like tests

mod compiler;
mod exported;
mod header;
mod loader;
