//! The report on a merged run: which system on which instance gives a quality for the least money.
//!
//! Speeds of different hosts are never mixed. Systems are compared across hosts by quality and words per
//! dollar alone, each by its own intervals; each host's own report has everything else.

mod contest;
mod page;

pub use contest::Host;
pub use page::{latex, markdown, page};
