//! The crate from outside: against the reference's answers, and against hostile files.
#![allow(clippy::unwrap_used, reason = "helpers of tests panic as tests do")]

mod fixtures;
mod goldens;
mod hostile;
