//! The papers' tables beside what was measured for them: `dyno reproduce`, which measures; the kept speeds of
//! products, the latest finished runs, and the publication of the page on all papers.
//!
//! All of it is behind the feature `papers`. `no_papers.rs` stands here without it.

mod collected;
mod coverage;
mod ours;
mod points;
mod products;
mod publication;
mod reproduce;
mod text;

pub use points::published;
pub use reproduce::reproduce;
