//! Measures line-by-line programs under enforced, audited conditions, on Linux.
//!
//! A [`System`] is any command that answers each line of its standard input with one line on its standard
//! output. This crate starts the command on given cores and exchanges lines with it under a [`Track`]'s
//! protocol. Meanwhile it audits the system's processes and watches the host for disturbances. A [`Record`]
//! holds everything that was seen. Before the rounds, [probes](examine) find out whether the system works for
//! its answers. A program that breaks a rule gets an INVALID record with a code, the figure, the limit and a
//! remedy.
//!
//! ```text
//! Plan ─ rounds ─► measure(bench, round, earlier) ─► Measured { record, answers }
//!                      │ process: lock-step, open loop or whole file
//!                      ▼
//!                  supervisor ─► the system's processes
//! ```
//!
//! # Use
//!
//! A program that uses this crate calls [`enter`] first in its `main`. The crate starts the same program a
//! second time, as the small supervisor above each system. `examples/cat.rs` measures `cat` in lock-step and
//! prints percentiles, `examples/verify.rs` asks the probes, `examples/compare.rs` measures two programs side by side.
//!
//! ```no_run
//! use dyno_measure::{Bench, Earlier, Plan, Profile, Protocol, System, TestSet, Track, host, measure};
//! # fn main() -> Result<(), dyno_measure::Error> {
//! dyno_measure::enter();
//! let scratch = std::env::temp_dir().join("measured");
//! let bench = Bench::new(&host::detect()?, None, Protocol::of(Profile::Quick), &scratch)?;
//! let plan = Plan {
//!     systems: vec![System::of_command("cat", ["cat"])],
//!     test_sets: vec![TestSet::from_lines("lines", ["one", "two", "three"])],
//!     tracks: vec![Track::Latency],
//! };
//! for round in plan.rounds(&bench.protocol) {
//!     println!("{}", measure(&bench, &round, &Earlier::default())?.record.verdict.name());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Record`], tracks, codes, limits and profiles are `dyno-record`'s: a reader of runs needs that crate alone.
//!
//! Left out on purpose: engines, campaign files, scores, tables. A built-in engine or a plugin arrives as a
//! command.

mod bench;
pub mod cgroup;
pub mod companion;
pub mod constants;
mod earlier;
pub mod energy;
mod entry;
mod error;
pub mod files;
mod floor;
pub mod host;
pub mod judge;
mod likeness;
pub mod noise;
pub mod os;
mod places;
mod plan;
pub mod process;
mod program;
mod protocol;
mod recording;
pub mod rounds;
mod sandbox;
pub mod supervisor;
mod system;
mod test_set;
mod text;
mod unknown;
pub mod vectors;
pub mod verify;

pub use bench::Bench;
pub use dyno_record::{
    Code, Exchange, Host, Interleave, LatencyLimit, Limits, Probe, Profile, Reason, Record, SCHEMA, Severity,
    Track, Verdict,
};
pub use earlier::Earlier;
pub use entry::enter;
pub use error::{Error, Result, full_disk_remedy};
pub use places::Places;
pub use plan::{Cell, Placement, Plan, Round};
pub use program::check_command;
pub use protocol::Protocol;
pub use recording::{LEAST_RATE, Recording};
pub use rounds::breakdown::break_down;
pub use rounds::{Measured, measure, measure_together, refuse};
pub use sandbox::{Sandbox, SandboxFault, setup_arguments};
pub use system::{Argument, PLACEHOLDERS, System};
pub use test_set::{Filler, TestSet, equal_pages};
pub use text::{as_text, split_lines, words};
pub use verify::{Examined, Examinee, Finding, examine, verdict};
