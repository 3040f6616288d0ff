//! The report on a run: one offline page, figures as SVG files, tables in Markdown.
//!
//! A report is a pure function of three steps, each of which can be read alone:
//!
//! ```text
//! Run, Summary ─────────► Material  the run with its judged rows, systems and test sets
//!                          │ view
//!                          ▼
//!                        Report     all sentences and charts
//!                          │ page, markdown
//!                          ▼
//!                        HTML, SVG files, Markdown
//! ```
//!
//! Judgements come from `dyno-results`. This crate measures nothing and reads no file.

pub mod charts;
pub mod hosts;
mod latex;
pub mod leaderboard;
mod material;
mod page;
mod published;
mod readme;
mod sentences;
pub mod shares;
mod tables;
mod translations;
mod view;

pub use page::{Error, Result, document};
pub use published::Published;
pub use readme::{BEGIN, END, PAPERS, between};
pub use tables::{Field, Rows, Table, inline};
pub use view::Report;

use serde_json::json;

impl Report {
    /// Names and contents of the figures as SVG files that stand alone. The lead figures, which READMEs show,
    /// also come on a dark ground.
    pub fn figures(&self) -> impl Iterator<Item = (String, &str)> {
        let light = self.drawn().map(|figure| (format!("{}.svg", figure.id), figure.paper.as_str()));
        let leads = self.parts.iter().filter_map(|part| part.lead.as_ref());
        light.chain(leads.map(|figure| (format!("{}-dark.svg", figure.id), figure.paper_dark.as_str())))
    }

    /// The findings in short, as JSON for programs.
    pub fn summary(&self) -> serde_json::Value {
        let part =
            |part: &view::Part| json!({"name": part.name, "verdict": part.verdict, "frontier": part.choices});
        json!({
            "campaign": self.campaign, "profile": self.profile, "host": self.host, "date": self.date,
            "trust": self.trust, "test_sets": self.parts.iter().map(part).collect::<Vec<_>>(),
        })
    }

    /// The full table of each test set, in LaTeX.
    pub fn latex(&self) -> String {
        self.parts.iter().map(|part| format!("% {}\n{}", part.name, latex::latex(&part.full))).collect()
    }

    /// The tables in Markdown, for READMEs and pull requests: the verdict, the choices and the full table of each test
    /// set.
    pub fn markdown(&self) -> String {
        let date = self.date.as_deref().unwrap_or("undated");
        let head = format!("{}, {} profile, {date}\n", inline(&self.host), self.profile);
        let parts = self.parts.iter().map(|part| {
            let (name, full) = (inline(&part.name), part.full.to_markdown());
            format!("\n### {name} ({})\n\n{}{full}", part.size, part.choices_in_markdown())
        });
        head + &parts.collect::<String>()
    }
}

impl view::Part {
    /// The verdict and the choices of a test set in Markdown.
    fn choices_in_markdown(&self) -> String {
        let verdict: String = self.verdict.iter().map(|sentence| inline(sentence) + "\n").collect();
        let table =
            if self.choices.rows.is_empty() { String::new() } else { self.choices.to_markdown() + "\n" };
        format!("{verdict}\n{table}")
    }
}
