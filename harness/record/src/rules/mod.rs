//! The terms of the protocol, on which all other modules rest: tracks, probes, verdicts, the codes of broken
//! rules with their remedies, and the limits.

mod code;
pub mod limits;
pub mod names;
mod probe;
mod reason;
mod track;

pub use code::{Code, Severity};
pub use probe::Probe;
pub use reason::{Reason, Verdict};
pub use track::{CostWords, Exchange, Track};
