//! A host of a merged run, as the report sees it.

use dyno_results::{Run, Summary};

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
