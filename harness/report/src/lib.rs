//! The report: one offline page on a run, its figures as SVG files, its tables in Markdown; and the published tables of
//! papers, with our figures beside theirs.
//!
//! A pure function in three steps, each of which can be read alone:
//!
//! ```text
//! Run, Summary ─ read ─► Material   everything measured and judged, renumbered for the page
//!                          │ view
//!                          ▼
//!                        View       every sentence written, every chart drawn
//!                          │ page, markdown
//!                          ▼
//!                        HTML, SVG files, Markdown
//! ```
//!
//! | module | owns |
//! | --- | --- |
//! | `material`, `read` | what the page is made of, in the page's units |
//! | `view` | the parts of the page, one file a section |
//! | [`charts`] | a small SVG writer: scales, axes, labels that avoid each other, each kind of chart |
//! | `tables`, `words`, `cost`, `shares` | tables, sentences with hedges, cost axes, breakdowns |
//! | `translations` | the texts side by side, searchable offline |
//! | `page`, `markdown`, `readme` | the forms that a view takes |
//! | [`papers`], `published` | tables and figures as papers printed them |
//! | [`reproduction`] | a paper's table measured again |
//!
//! Judgements come from `dyno-results`; nothing is measured or read from the disk here.

pub mod charts;
mod cost;
mod error;
mod markdown;
mod material;
mod page;
pub mod papers;
pub mod published;
mod read;
mod readme;
pub mod reproduction;
pub mod shares;
mod tables;
mod translations;
mod view;
mod words;

pub use error::{Error, Result};
pub use page::document;
pub use published::Published;
pub use readme::{BEGIN, END};
pub use tables::{Field, Table, inline};

use serde_json::json;

use dyno_results::{Run, Summary};

use view::View;

/// A report, from which each of its forms is made.
pub struct Report {
    view: View,
}

impl Report {
    /// The report on a run, with the points of papers laid under its charts.
    pub fn of(run: &Run, summary: &Summary, published: &[Published]) -> Self {
        Self { view: View::of(&read::material(run, summary), published) }
    }

    /// As one HTML file; with links to the records if it lies `beside_records`.
    pub fn html(&self, beside_records: bool) -> Result<String> {
        page::html(&self.view, beside_records)
    }

    /// Its figures as SVG files that stand alone, with their names; the lead figures, which READMEs show, on a dark
    /// ground too.
    pub fn figures(&self) -> impl Iterator<Item = (String, &str)> {
        let light = self.view.figures().map(|figure| (format!("{}.svg", figure.id), figure.paper.as_str()));
        let leads = self.view.parts.iter().filter_map(|part| part.lead.as_ref());
        light.chain(leads.map(|figure| (format!("{}-dark.svg", figure.id), figure.paper_dark.as_str())))
    }

    /// A README with the frontier between its markers; `None` if it has none. `figures` is where the figures lie for
    /// its readers, `commands` what led to it.
    pub fn readme(&self, text: &str, figures: &str, commands: &[String]) -> Option<String> {
        readme::updated(text, &self.view, figures, commands)
    }

    /// What it says in short, for programs.
    pub fn summary(&self) -> serde_json::Value {
        let view = &self.view;
        let part =
            |part: &view::Part| json!({"name": part.name, "verdict": part.verdict, "frontier": part.choices});
        json!({
            "campaign": view.campaign, "profile": view.profile, "host": view.host, "date": view.date,
            "trust": view.trust, "test_sets": view.parts.iter().map(part).collect::<Vec<_>>(),
        })
    }

    /// Its tables in Markdown.
    pub fn markdown(&self) -> String {
        markdown::markdown(&self.view)
    }
}
