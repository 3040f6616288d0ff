//! Tests of the formats against files that others made. The small ones are in tests/goldens (made by
//! ci/formats-goldens.py); models of real size are looked for where DYNO_FIXTURES says.

#![allow(clippy::unwrap_used)] // helpers of tests, too, fail by panicking

mod config;
mod convert;
mod fixtures;
mod generate;
mod gguf;
mod goldens;
mod model_dir;
mod quantise;
mod shortlist;
mod weights;
