//! A claim with its verdict, and claims as a table of the page.

use dyno_report::{Field, Table};
use serde::Serialize;

use super::verdict::Verdict;

/// Least number of lines by which a quality, or a share of equal lines, is judged.
pub(super) const LINES: usize = 1000;

/// A claim of a paper, and what became of it here.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// Subject of the claim.
    pub what: String,
    /// The paper's figure, or the least and the greatest one of its settings.
    pub paper: String,
    /// Our figure, or the least and the greatest one.
    pub ours: Option<String>,
    /// Least and greatest round of our figures.
    pub interval: Option<String>,
    /// Side that our factor is over: a library's products, another program, or our own engine.
    pub over: Option<String>,
    /// Verdict on the claim; the worst of its settings.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Whether the paper's abstract or conclusion rests on the claim.
    pub headline: bool,
    /// Number of settings.
    pub settings: usize,
}

impl Claim {
    /// A claim without a figure of ours.
    pub(super) fn new(what: String, paper: String, verdict: Verdict) -> Self {
        let (ours, interval, over) = (None, None, None);
        Self { what, paper, ours, interval, over, verdict, headline: false, settings: 1 }
    }

    /// Text of the verdict, which is the worst where there are several settings.
    pub(super) fn verdict_text(&self) -> String {
        let is_worst = self.settings > 1 && self.verdict.is_judged();
        let worst = if is_worst { ", at the worst of the settings" } else { "" };
        format!("{}{worst}", self.verdict.text())
    }
}

/// The claims as a table of the page, each with the place of its table, if that is told.
pub fn claims_table(caption: &str, claims: &[(String, Claim)]) -> Table {
    let text = |text: &Option<String>| text.as_ref().map_or_else(Field::none, Field::text);
    Table::of(caption, claims)
        .column("claim", |(place, claim)| match place.as_str() {
            "" => Field::text(&claim.what),
            place => Field::text(format!("{place}: {}", claim.what)),
        })
        .column("paper", |(_, claim)| Field::text(&claim.paper))
        .column("here", |(_, claim)| text(&claim.ours))
        .column("over", |(_, claim)| text(&claim.over))
        .column("least to most", |(_, claim)| text(&claim.interval))
        .column("verdict", |(_, claim)| Field::text(claim.verdict_text()))
        .table()
}
