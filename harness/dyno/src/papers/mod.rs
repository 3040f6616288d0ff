//! The papers' tables beside what was measured for them: the kept speeds of products, the latest finished
//! runs, and the publication of the page on all papers.
//!
//! `dyno reproduce` measures; nothing here starts a system.

mod campaigns;
mod collected;
mod coverage;
mod products;
mod publication;

pub use campaigns::campaign_of;
pub use collected::program_bytes;
pub use coverage::coverage;
pub use products::{RUNS, keep, measure};
pub use publication::publish;
