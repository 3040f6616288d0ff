//! A paper's table, measured again: the paper's figures beside ours.
//!
//! ```text
//! papers (points as printed) ─┐
//! campaign (the same systems) ├─► Reproduction ─ show ─► terminal, Markdown, a section of a page
//! run (records, answers)      ┘    rows of factors; missing figures with the reason
//! ```
//!
//! Machines differ, so factors over a base are compared, never times. A table has one base, the paper's: a
//! library's products where the paper's base calls one, our own f32 otherwise. Factors over our f32, and over
//! the gemm crate as a stand-in for libraries ([`STAND_IN`]), stand in columns without a verdict.

mod chart;
mod claim;
mod claims;
mod conditions;
mod cover;
mod map;
mod measured;
mod notes;
mod page;
mod rows;
mod side_by_side;
mod sources;
mod statements;
mod table;
mod time;
mod verdict;

pub use claims::claims;
pub use cover::{headlines, verdicts};
pub use measured::{Measured, STAND_IN};
pub use notes::{Notes, all_findings, caveats, missing, source, title};
pub use page::{figures, markdown, page, papers_page};
pub use rows::Reproduction;
pub use side_by_side::SideBySide;
pub use sources::{Contestant, Contestants, Coverage, KeptProducts, Products};
pub use table::table;
pub use time::tables as time_tables;
