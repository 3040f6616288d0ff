//! Keeps, scores, prices and judges what `dyno-measure` has measured.
//!
//! Data flow one way: records and answers → [`Run`] in memory → [`Scores`](scores::Scores) → [`Summary`] with
//! the judgement of every cell → tables, pages, gates. The [`Store`] is a sink on the disk. A run is read
//! from there only to be resumed, or by a command that starts from a folder.
//!
//! This crate starts scorers, never systems. It knows nothing of engines and of HTML.

mod columns;
pub mod compare;
pub mod contest;
mod error;
pub mod explain;
mod export;
mod histogram;
pub mod kinds;
pub mod merge;
pub mod prices;
mod programs;
mod run;
pub mod scores;
pub mod services;
pub mod store;
pub mod summary;
pub mod turns;

pub use columns::Column;
pub use error::{Error, Result};
pub use export::{csv_of, write_summary};
pub use merge::Merged;
pub use programs::hashes_of;
pub use run::cells::MeasuredCell;
pub use run::{COMMAND, CellBreakdown, Run, day};
pub use store::{Place, Store, Verified, best_of, latest, newest};
pub use summary::{Summary, cell::CellSummary};
