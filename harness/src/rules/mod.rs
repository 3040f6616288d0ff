//! The protocol's words, on which everything else stands: tracks, probes, what can be wrong and what to do about it.

mod code;
mod probe;
mod track;

pub use code::{Code, Reason, Severity, Verdict};
pub use probe::Probe;
pub use track::Track;
