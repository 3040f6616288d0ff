//! A claim with its verdict, and claims as a table of the page. Settings of one claim, such as numbers of
//! tokens and threads, are one line with their range.

use dyno_report::{Field, Table};
use dyno_stats::{Estimate, grouped};
use serde::Serialize;

use super::verdict::{Lacking, Verdict};

/// Least number of lines by which a quality, or a share of equal lines, is judged.
pub(super) const LINES: usize = 1000;

/// A claim of a paper, and what became of it here.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
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

/// The claims as a table of the page, each behind the text that tells it.
pub fn claims_table(caption: &str, claims: &[(String, Claim)]) -> Table {
    let text = |text: &Option<String>| text.as_ref().map_or_else(Field::none, Field::text);
    Table::of(caption, claims)
        .column("claim", |(told, _)| Field::text(told))
        .column("paper", |(_, claim)| Field::text(&claim.paper))
        .column("here", |(_, claim)| text(&claim.ours))
        .column("over", |(_, claim)| text(&claim.over))
        .column("least to most", |(_, claim)| text(&claim.interval))
        .column("verdict", |(_, claim)| Field::text(claim.verdict_text()))
        .table()
}

/// A figure of a table that is claimed, in one setting.
pub struct Setting {
    /// Subject, if it stands alone.
    pub what: String,
    /// Claim that it shares with other rows, if any.
    pub claim: Option<String>,
    pub paper: f64,
    pub ours: Option<Estimate>,
    pub unit: &'static str,
    /// Whether the paper says “faster” instead of its figure.
    pub only_faster: bool,
    /// Side that our factor is over.
    pub over: Option<String>,
    pub verdict: Verdict,
    /// Cores that the setting needs, and this host lacks.
    pub lacking: Option<Lacking>,
    /// Whether it's a headline of the paper.
    pub headline: bool,
}

impl Setting {
    /// A setting without a verdict.
    pub fn of(what: String, paper: f64, ours: Option<Estimate>, unit: &'static str) -> Self {
        let verdict = Verdict::NotMeasured(String::new());
        let (claim, lacking, over) = (None, None, None);
        Self { what, claim, paper, ours, unit, only_faster: false, over, verdict, lacking, headline: false }
    }

    /// Whether both fold into one line: settings of one claim that were judged, or that lack one thing.
    fn is_with(&self, other: &Self) -> bool {
        let is_one = self.claim.is_some() && self.claim == other.claim;
        let lacks_alike = match (&self.verdict, &other.verdict) {
            (a, b) if a.is_judged() && b.is_judged() => self.over == other.over,
            _ if self.lacking.is_some() && other.lacking.is_some() => true,
            (a, b) => a == b,
        };
        is_one && lacks_alike
    }
}

/// The settings as claims, in their order.
pub fn folded(settings: Vec<Setting>) -> Vec<Claim> {
    grouped(settings, Setting::is_with).iter().map(|line| claim(line)).collect()
}

fn claim(line: &[Setting]) -> Claim {
    let first = &line[0];
    let worst = line.iter().map(|setting| &setting.verdict).min_by_key(|verdict| verdict.rank());
    let lacking: Option<Vec<&Lacking>> = line.iter().map(|setting| setting.lacking.as_ref()).collect();
    let verdict = match (Lacking::of_all(&lacking.unwrap_or_default()), worst) {
        (Some(reason), _) => Verdict::NotComparable(reason),
        (None, worst) => worst.cloned().unwrap_or_else(|| first.verdict.clone()),
    };
    let ours: Vec<Estimate> = line.iter().filter_map(|setting| setting.ours).collect();
    let text = |values: &[f64]| range(values, first.unit);
    let values: Vec<f64> = ours.iter().map(|ours| ours.value).collect();
    let paper: Vec<f64> = line.iter().map(|setting| setting.paper).collect();
    Claim {
        ours: (!values.is_empty()).then(|| text(&values)),
        interval: (first.unit == "×").then(|| interval(&ours)).flatten(),
        over: first.over.clone(),
        headline: first.headline,
        settings: line.len(),
        ..Claim::new(what(line), if first.only_faster { "faster".into() } else { text(&paper) }, verdict)
    }
}

fn what(line: &[Setting]) -> String {
    match (line, &line[0].claim) {
        ([alone], _) => alone.what.clone(),
        (_, Some(claim)) => format!("{claim}, in {} settings", line.len()),
        (_, None) => line[0].what.clone(),
    }
}

/// Least and greatest value, or the only one.
fn range(values: &[f64], unit: &str) -> String {
    let one = |value: f64| match unit {
        "×" => format!("{value:.2}"),
        _ if value.fract() == 0.0 || value >= 10.0 => format!("{value:.0}"),
        _ => format!("{value}"),
    };
    let of = |pick: fn(f64, f64) -> f64| one(values.iter().copied().reduce(pick).unwrap_or_default());
    let (least, most) = (of(f64::min), of(f64::max));
    let gap = if unit == "×" { "" } else { " " };
    if least == most { format!("{least}{gap}{unit}") } else { format!("{least} to {most}{gap}{unit}") }
}

/// Least and greatest round of all figures.
pub(super) fn interval(ours: &[Estimate]) -> Option<String> {
    let least = ours.iter().map(|ours| ours.low).reduce(f64::min)?;
    let most = ours.iter().map(|ours| ours.high).reduce(f64::max)?;
    Some(format!("{least:.2}–{most:.2}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(claim: Option<&str>, paper: f64, ours: f64, verdict: Verdict) -> Setting {
        let estimate = Some(Estimate { value: ours, low: ours - 0.1, high: ours + 0.1 });
        let claim = claim.map(Into::into);
        Setting { claim, verdict, ..Setting::of(format!("{paper} alone"), paper, estimate, "×") }
    }

    #[test]
    fn settings_of_one_claim_are_a_line_with_the_worst_verdict() {
        // Dice & Kogan's table 1: 1.46×, 1.33× and 1.10× with one thread.
        let line = folded(vec![
            setting(Some("almo"), 1.46, 2.0, Verdict::Exceeded),
            setting(Some("almo"), 1.33, 1.3, Verdict::Reached),
            setting(Some("almo"), 1.10, 0.9, Verdict::NotReached),
            setting(Some("normal"), 1.40, 1.4, Verdict::Reached),
        ]);
        let texts = |claim: &Claim| (claim.what.clone(), claim.paper.clone(), claim.ours.clone().unwrap());
        assert_eq!(
            texts(&line[0]),
            ("almo, in 3 settings".into(), "1.10 to 1.46×".into(), "0.90 to 2.00×".into())
        );
        assert_eq!(
            (line[0].verdict.clone(), line[0].interval.as_deref()),
            (Verdict::NotReached, Some("0.80–2.10"))
        );
        assert_eq!((line.len(), line[1].what.as_str(), line[1].settings), (2, "1.4 alone", 1));
    }

    #[test]
    fn settings_that_need_more_cores_are_a_line_of_their_own() {
        let lacks = |wanted| Setting {
            lacking: Some(Lacking { wanted, there: 2 }),
            ours: None,
            ..setting(Some("almo"), 1.2, 0.0, Verdict::NotComparable(format!("{wanted} cores")))
        };
        let lines = folded(vec![setting(Some("almo"), 1.5, 2.0, Verdict::Exceeded), lacks(4), lacks(16)]);
        assert_eq!(lines.len(), 2);
        let reason = "can't be compared: hardware: 4 to 16 cores are needed; this host has 2";
        assert_eq!((lines[1].verdict_text().as_str(), lines[1].settings), (reason, 2));
    }
}
