//! A paper's table, measured again: the paper's figures beside ours.
//!
//! ```text
//! papers (points as printed) ─┐
//! campaign (the same systems) ├─► Reproduction ─ show ─► terminal, Markdown, a section of a page
//! run (records, answers)      ┘    rows of factors; missing figures with the reason
//! ```
//!
//! Machines differ, so factors over a base are compared, never times. Every ablation has two bases: our own
//! f32, which is the table's base, and the same engine with a library's f32 products. The latter is a plugin
//! that is built apart; the name of its system is that of the base with [`LIBRARY`] behind it.

mod chart;
mod claims;
mod cover;
mod map;
mod measured;
mod notes;
mod page;
mod pair;
mod rows;
mod table;
mod time;
mod verdict;

pub use claims::{Claim, claims};
pub use cover::{headlines, verdicts};
pub use measured::{Contestant, Contestants, Coverage, Measured, Products, Unbuilt};
pub use notes::{Notes, all_findings, notes, source, title};
pub use page::{figures, markdown, page, papers_page};
pub use pair::{LIBRARY, Pair};
pub use rows::{Reproduction, Row};
pub use table::table;
pub use time::tables as time_tables;
pub use verdict::Verdict;
