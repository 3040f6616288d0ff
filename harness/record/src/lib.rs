//! What a run of dyno holds: the identity of its campaign, its records, and their words.
//!
//! This crate reads and writes; it measures nothing and starts nothing. `dyno-measure` measures in these words, and
//! `dyno-results` keeps and judges what was measured.
//!
//! ```
//! use dyno_record::{Code, Track};
//! let broken = Code::LineCount.reason("17 lines out for 18");
//! assert_eq!(broken.code.name(), "line_count");
//! assert!(!broken.remedy.is_empty(), "each broken rule comes with a remedy");
//! assert!(Track::ALL.iter().any(|track| track.name() == "latency"));
//! ```

mod hash;
mod host;
pub mod identity;
pub mod json;
mod limits;
mod profile;
mod record;
pub mod rules;
mod shard;

pub use hash::{hash_of, hex};
pub use host::Host;
pub use identity::{Identity, SCHEMA};
pub use limits::{Interleave, LatencyLimit, Limits};
pub use profile::Profile;
pub use record::{
    Audit, CpuUse, EnergyUse, FreshLaunch, HostSpeed, Launches, MemoryMethod, Noise, Purpose, Record, Served,
    ServedRun, Slices, Times, Usage,
};
pub use rules::{Code, CostWords, Exchange, Probe, Reason, Severity, Track, Verdict};
pub use shard::Shard;
