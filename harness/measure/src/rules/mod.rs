//! The protocol's words, on which everything else stands: tracks, probes, what can be wrong, what to do about it, and
//! the limits at which something counts as wrong.

mod code;
pub mod limits;
pub mod names;
mod probe;
mod track;
mod verdict;

pub use code::{Code, Reason, Severity};
pub use probe::Probe;
pub use track::Track;
pub use verdict::Verdict;
