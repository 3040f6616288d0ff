//! From rounds to one row a cell: medians over rounds, with the interval of each.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Context;
use serde::Serialize;

use super::{Record, write_whole};
use crate::campaign::{Profile, Track};
use crate::exit::Outcome;
use crate::score::Score;
use crate::stats::{median, median_interval, percentile};
use crate::verify::Verdict;

/// One cell, summed up. Times in milliseconds; `None` where it wasn't measured or can't be bounded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellSummary {
    /// Test set.
    pub test_set: String,
    /// Track.
    pub track: Track,
    /// System.
    pub system: String,
    /// How thorough.
    pub profile: Profile,
    /// VALID, NOISY or INVALID.
    pub verdict: Verdict,
    /// Codes of what was wrong.
    pub reasons: Vec<String>,
    /// Rounds that count.
    pub rounds: usize,
    /// Source words a second (official), median over rounds.
    pub words_per_second: Option<f64>,
    /// Lower end of its interval.
    pub words_per_second_low: Option<f64>,
    /// Upper end of its interval.
    pub words_per_second_high: Option<f64>,
    /// Words a second without loading; hidden above 65 % load share.
    pub steady_words_per_second: Option<f64>,
    /// Share of a launch that a single line takes as well.
    pub load_share: Option<f64>,
    /// Mean latency.
    pub mean_ms: Option<f64>,
    /// Median latency.
    pub p50_ms: Option<f64>,
    /// 90th percentile.
    pub p90_ms: Option<f64>,
    /// 95th percentile.
    pub p95_ms: Option<f64>,
    /// 99th percentile.
    pub p99_ms: Option<f64>,
    /// Slowest line.
    pub max_ms: Option<f64>,
    /// From launch to the first answer.
    pub start_ms: Option<f64>,
    /// Bytes of the model's files.
    pub model_bytes: Option<u64>,
    /// Peak resident memory, the largest of the rounds.
    pub peak_bytes: Option<u64>,
    /// The least that `peak_bytes` can be.
    pub floor_bytes: Option<u64>,
    /// BLEU.
    pub bleu: Option<f64>,
    /// Half of BLEU's 95 % bootstrap interval.
    pub bleu_confidence: Option<f64>,
    /// chrF.
    pub chrf: Option<f64>,
    /// SHA-256 of the answers that were scored.
    pub output: Option<String>,
}

/// Above this share of loading what is left is mostly noise: the protocol hides the steady figure.
const MOST_LOAD_SHARE: f64 = 0.65;

/// A row a cell, by test set and track, systems in the order of `systems`. `scores` by output and test set.
pub fn summarise(
    records: &[Record],
    systems: &[&str],
    scores: &HashMap<(String, String), Score>,
) -> Vec<CellSummary> {
    let mut cells: Vec<Vec<&Record>> = Vec::new();
    for record in records {
        match cells.iter_mut().find(|cell| same_cell(cell[0], record)) {
            Some(cell) => cell.push(record),
            None => cells.push(vec![record]),
        }
    }
    let mut rows: Vec<_> = cells.iter().map(|cell| summarise_cell(cell, scores)).collect();
    let place = |row: &CellSummary| systems.iter().position(|system| *system == row.system);
    rows.sort_by(|a, b| (&a.test_set, a.track, place(a)).cmp(&(&b.test_set, b.track, place(b))));
    rows
}

fn same_cell(a: &Record, b: &Record) -> bool {
    a.system == b.system && a.test_set == b.test_set && a.track == b.track
}

fn summarise_cell(cell: &[&Record], scores: &HashMap<(String, String), Score>) -> CellSummary {
    let valid: Vec<&Record> = cell.iter().copied().filter(|r| r.verdict != Verdict::Invalid).collect();
    let over_rounds = |value: &dyn Fn(&Record) -> Option<f64>| {
        median(&valid.iter().filter_map(|record| value(record)).collect::<Vec<_>>())
    };
    let latency = |p: f64| over_rounds(&|record| percentile(&milliseconds(&record.latency_ns), p));
    let speeds: Vec<f64> = valid.iter().filter_map(|record| record.words_per_second()).collect();
    let interval = median_interval(&speeds);
    let load_share = over_rounds(&load_share);
    let score = score_of(&valid, scores);
    let most = |value: &dyn Fn(&Record) -> u64| valid.iter().map(|r| value(r)).max().filter(|&v| v > 0);
    CellSummary {
        test_set: cell[0].test_set.clone(),
        track: cell[0].track,
        system: cell[0].system.clone(),
        profile: cell[0].profile,
        verdict: cell.iter().map(|record| record.verdict).max().unwrap_or(Verdict::Invalid),
        reasons: codes(cell),
        rounds: valid.len(),
        words_per_second: median(&speeds),
        words_per_second_low: interval.map(|(low, _)| low),
        words_per_second_high: interval.map(|(_, high)| high),
        steady_words_per_second: load_share
            .filter(|&share| share <= MOST_LOAD_SHARE)
            .and_then(|_| over_rounds(&steady)),
        load_share,
        mean_ms: over_rounds(&|record| mean(&milliseconds(&record.latency_ns))),
        p50_ms: latency(50.0),
        p90_ms: latency(90.0),
        p95_ms: latency(95.0),
        p99_ms: latency(99.0),
        max_ms: over_rounds(&|record| milliseconds(&record.latency_ns).into_iter().reduce(f64::max)),
        start_ms: over_rounds(&|record| record.start_ns.map(|ns| ns as f64 / 1e6)),
        model_bytes: cell.iter().find_map(|record| record.model_bytes),
        peak_bytes: most(&|record| record.usage.peak_bytes),
        floor_bytes: most(&|record| record.usage.floor_bytes),
        bleu: score.map(|score| score.bleu),
        bleu_confidence: score.map(|score| score.bleu_confidence),
        chrf: score.map(|score| score.chrf),
        output: valid.iter().find_map(|record| record.output.clone()),
    }
}

/// The first round's text is the one that is scored; its rounds are expected to give the same.
fn score_of<'a>(valid: &[&Record], scores: &'a HashMap<(String, String), Score>) -> Option<&'a Score> {
    let record = valid.iter().find(|record| record.output.is_some())?;
    scores.get(&(record.output.clone()?, record.test_set.clone()))
}

fn codes(cell: &[&Record]) -> Vec<String> {
    let mut codes: Vec<_> =
        cell.iter().flat_map(|record| &record.reasons).map(|reason| reason.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes.into_iter().map(|code| code.name().into()).collect()
}

fn milliseconds(ns: &[u64]) -> Vec<f64> {
    ns.iter().map(|&ns| ns as f64 / 1e6).collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn load_share(record: &Record) -> Option<f64> {
    Some(median(&milliseconds(&record.one_line_ns))? / mean(&milliseconds(&record.launch_ns))?)
}

fn steady(record: &Record) -> Option<f64> {
    let load_free = mean(&milliseconds(&record.launch_ns))? - median(&milliseconds(&record.one_line_ns))?;
    (load_free > 0.0).then(|| record.words as f64 / (load_free / 1e3))
}

/// Writes a row a cell, headed by the field names.
pub fn write_csv(path: &Path, rows: &[CellSummary]) -> Outcome<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        let value = serde_json::to_value(row).context("a summary as JSON")?;
        let object = value.as_object().context("a summary is an object")?;
        if std::ptr::eq(row, &rows[0]) {
            writer.write_record(object.keys()).context("the summary's head")?;
        }
        writer.write_record(object.values().map(cell_text)).context("a summary's row")?;
    }
    let bytes = writer.into_inner().context("the summary")?;
    write_whole(path, &bytes)
}

/// Text as it is (but never as a spreadsheet's formula), lists with spaces, nothing for nothing.
fn cell_text(value: &serde_json::Value) -> String {
    use serde_json::Value;
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.starts_with(['=', '+', '-', '@']) => format!("'{text}"),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(cell_text).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_spreadsheet_sees_no_formula() {
        for (value, text) in [
            (json!("=1+1"), "'=1+1"),
            (json!("@SUM(A1)"), "'@SUM(A1)"),
            (json!("ssru"), "ssru"),
            (json!(null), ""),
            (json!(-1.5), "-1.5"),
            (json!(["hung", "flood"]), "hung flood"),
        ] {
            assert_eq!(cell_text(&value), text);
        }
    }
}
