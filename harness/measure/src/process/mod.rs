//! One process of a system from launch to end, under a track's contract. Rounds and probes both start
//! processes here, so that a probe judges exactly what a round measures.
//!
//! ```text
//! Subject ─ lockstep   ─► Dialogue ─► Supervised (supervisor ─► the system)
//!         ├ open_loop  ─┘               ▲
//!         └ whole_file ────────────────┘
//! ```

pub mod audit;
mod control;
mod dialogue;
pub mod ending;
pub mod environment;
pub mod failed;
pub mod hidden;
pub mod idle;
pub mod lockstep;
pub mod open_loop;
pub(crate) mod silence;
pub mod stopping;
pub mod subject;
mod supervised;
pub mod turns;
mod waiting;
pub mod whole_file;
