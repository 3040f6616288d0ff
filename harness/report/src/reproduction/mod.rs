//! A paper's table, measured again: the paper's column beside ours.
//!
//! ```text
//! papers (points as printed) ─┐
//! campaign (the same systems) ├─► Reproduction ─ show ─► terminal, Markdown, a section of a page
//! run (records, answers)      ┘    rows of factors, and what isn't there, with the reason
//! ```
//!
//! Machines differ, so factors over a base are compared and never times. Every ablation has two bases: our own f32
//! (the table's base), and the same engine with a library's f32 products, which is a plugin that is built apart; its
//! system is named after the base with [`LIBRARY`] behind it.

mod chart;
mod map;
mod measured;
mod page;
mod rows;
mod table;
mod time;
mod words;

pub use measured::{Contestant, Contestants, Measured, Products, Unbuilt};
pub use page::{figures, markdown, page};
pub use rows::{LIBRARY, Pair, Reproduction, Row};
pub use table::table;
pub use time::tables as time_tables;
pub use words::{Notes, all_findings, notes, source, title};
