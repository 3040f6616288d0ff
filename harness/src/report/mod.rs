//! The report: one offline page on a run. A pure function in three steps, each of which can be read alone:
//!
//! ```text
//! a run's folder ─ read ─► Material   everything measured, nothing judged
//!                            │ view
//!                            ▼
//!                          View       every judgement made, every sentence written, every chart drawn
//!                            │ page, markdown
//!                            ▼
//!                          HTML, SVG files, Markdown
//! ```

mod charts;
mod cost;
mod markdown;
mod material;
mod numbers;
mod page;
pub mod published;
mod read;
mod readme;
mod tables;
mod translations;
mod view;
mod words;

pub use published::Published;
pub use readme::{BEGIN, END};

use crate::store::Run;
use view::View;

/// A report, from which each of its forms is made.
pub struct Report {
    view: View,
}

impl Report {
    /// The report on a run, with the points of papers laid under its charts.
    pub fn of(run: &Run, published: &[Published]) -> Self {
        Self { view: View::of(&read::material(run), published) }
    }

    /// As one HTML file; with links to the records if it lies `beside_records`.
    pub fn html(&self, beside_records: bool) -> anyhow::Result<String> {
        page::html(&self.view, beside_records)
    }

    /// Its figures as SVG files that stand alone, with their names.
    pub fn figures(&self) -> impl Iterator<Item = (String, &str)> {
        self.view.figures().map(|figure| (format!("{}.svg", figure.id), figure.paper.as_str()))
    }

    /// A README with the frontier between its markers; `None` if it has none. `figures` is where the figures lie for
    /// its readers, `command` what wrote it.
    pub fn readme(&self, text: &str, figures: &str, command: &str) -> Option<String> {
        readme::updated(text, &self.view, figures, command)
    }

    /// Its tables in Markdown.
    pub fn markdown(&self) -> String {
        markdown::markdown(&self.view)
    }
}
