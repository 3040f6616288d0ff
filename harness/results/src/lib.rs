//! Keeps, scores, prices and judges what `dyno-measure` has measured.
//!
//! Data flow one way: records and answers → [`Run`] in memory → [`Scores`](scores::Scores) → [`Summary`] with
//! the judgement of every cell → tables, pages, gates. The [`Store`] is a sink on the disk. A run is read
//! from there only to be resumed, or by a command that starts from a folder.
//!
//! | module | owns |
//! | --- | --- |
//! | [`store`] | folder of a run: appended records, files written whole, the lock |
//! | `programs` | hashes of programs and models, which tell two runs apart |
//! | `run` | run in memory, and its cells |
//! | [`scores`] | quality by sacrebleu or the user's own metrics, with paired bootstrap |
//! | [`prices`] | words per dollar, by a dated price list |
//! | [`summary`] | one row for each cell; noise floors, duels and the frontier (`judge`) |
//! | `columns` | the columns of tables: head, figure and text of each |
//! | [`explain`] | why one cell is where it is: its time, its room under the rules, its neighbours |
//! | [`turns`] | comparison of rounds that were measured side by side |
//! | [`compare`] | comparison of two sides of a cell: speeds by their rounds, texts by their quality |
//! | [`merge`] | runs of several hosts as one result |
//! | [`services`] | figures in the forms of benchmark services |
//! | [`kinds`] | what translations keep of numbers, names, markup and more, counted without a model |
//! | `export`, `histogram` | spreadsheets and percentile distributions |
//!
//! This crate starts scorers, never systems. It knows nothing of engines and of HTML.

mod columns;
pub mod compare;
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
pub use export::{csv_of, unlike_a_formula, write_summary};
pub use merge::Merged;
pub use programs::hashes_of;
pub use run::{COMMAND, CellBreakdown, MeasuredCell, Run, day};
pub use store::{Place, Store, Verified, latest};
pub use summary::{Summary, cell::CellSummary};
