//! The report on a merged run: which system on which instance gives a quality for the least money.
//!
//! Speeds of different hosts are never mixed. Systems are compared across hosts by quality and words per
//! dollar alone, each by its own intervals; each host's own report has everything else.

mod contest;
mod page;
mod said;

use dyno_results::{Run, Summary};

pub use page::{latex, markdown, page};

/// A host of a merged run.
pub struct Host<'a> {
    /// Name of the host: its instance, else its processor.
    pub name: &'a str,
    /// Run of the host.
    pub run: &'a Run,
    /// Judged rows of that run.
    pub summary: &'a Summary,
    /// Path of the host's own report from the page, if there is one.
    pub report: Option<String>,
}
