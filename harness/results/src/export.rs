//! Figures of a run for other programs: one row for each cell for spreadsheets, percentile distributions for
//! plotters.

use std::path::Path;

use dyno_record::Track;
use itertools::Itertools;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::error::Result;
use crate::histogram;
use crate::kinds::KindCount;
use crate::run::Run;
use crate::store::files::write_whole;
use crate::store::folder::create;
use crate::summary::Summary;
use crate::summary::cell::{CellSummary, MetricFigure};

/// Writes the summary of `run` into its folder: a spreadsheet, and latencies as percentile distributions.
pub fn write_summary(folder: &Path, run: &Run, summary: &Summary) -> Result<()> {
    if summary.cells.is_empty() {
        return Ok(());
    }
    write_histograms(folder, run)?;
    write_whole(&folder.join("summary.csv"), csv_of(&summary.cells).as_bytes())
}

/// One row for each cell, under the names of the fields. Each metric has columns of its own.
pub fn csv_of(rows: &[CellSummary]) -> String {
    let objects: Vec<_> = rows.iter().map(object_of).collect();
    let columns: Vec<&String> = objects.iter().flat_map(Map::keys).unique().collect();
    let heads = columns.iter().map(|name| (*name).clone()).collect();
    let texts = objects.iter().map(|object| {
        columns.iter().map(|name| object.get(*name).map_or(String::new(), cell_text)).collect::<Vec<_>>()
    });
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in [heads].into_iter().chain(texts).filter(|record| !record.is_empty()) {
        writer.write_record(record).expect("rows of equal length, in memory");
    }
    String::from_utf8(writer.into_inner().expect("in memory")).expect("texts are UTF-8")
}

/// The fields of a row, with columns for each load and metric. Rows of other test sets can have other metrics.
fn object_of(row: &CellSummary) -> Map<String, Value> {
    let mut object = fields_of(row);
    object.insert("reasons".into(), row.fault_codes().into());
    object.insert("warnings".into(), row.warning_texts().into());
    for (clients, load) in &row.clients {
        let figures = fields_of(load).into_iter();
        object.extend(figures.map(|(figure, value)| (format!("clients_{clients}_{figure}"), value)));
    }
    for list in ["clients", "quality", "kinds"] {
        object.remove(list);
    }
    row.quality.iter().for_each(|quality| add_columns(&mut object, quality));
    row.kinds.iter().for_each(|count| add_kind(&mut object, count));
    object
}

fn fields_of(figures: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(figures) {
        Ok(Value::Object(fields)) => fields,
        _ => unreachable!("figures are a struct of numbers and texts"),
    }
}

/// Columns of a metric: its score under its name, then interval and spread.
fn add_columns(row: &mut Map<String, Value>, quality: &MetricFigure) {
    let MetricFigure { metric, score, confidence, low, high } = quality;
    // A worker may be called like a column.
    let name = if row.contains_key(metric) { format!("metric:{metric}") } else { metric.clone() };
    row.insert(name.clone(), json!(score));
    for (end, value) in [("confidence", confidence), ("low", low), ("high", high)] {
        row.insert(format!("{name}_{end}"), json!(value));
    }
}

/// Columns of a kind: number of items in the source, and the share of them that the answers keep.
fn add_kind(row: &mut Map<String, Value>, KindCount { kind, kept }: &KindCount) {
    row.insert(format!("{}_found", kind.name()), json!(kept.found));
    row.insert(format!("{}_kept", kind.name()), json!(kept.share()));
}

/// Writes the latencies of each cell of `run` as a percentile distribution.
fn write_histograms(folder: &Path, run: &Run) -> Result<()> {
    let folder = folder.join("histograms");
    for cell in run.cells().iter().filter(|cell| cell.track.is_lockstep()) {
        let latencies = cell.valid().into_iter().flat_map(|record| record.latency_ns().iter().copied());
        let mut latencies = latencies.peekable();
        if latencies.peek().is_none() {
            continue;
        }
        create(&folder)?;
        let name = histogram_name(&cell.test_set.name, cell.system, cell.track);
        write_whole(&folder.join(name), histogram::percentile_text(latencies)?.as_bytes())?;
    }
    Ok(())
}

/// Name of a cell's histogram. The track line by line goes without saying.
fn histogram_name(test_set: &str, system: &str, track: Track) -> String {
    let track = if track == Track::Latency { String::new() } else { format!(".{track}") };
    format!("{}.{}{track}.hgrm", file_name(test_set), file_name(system))
}

/// A name as part of a file's name. Characters other than letters, digits, `-` and `_` become code points, so
/// that no path leads elsewhere.
fn file_name(name: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    name.chars().map(|c| if safe(c) { c.to_string() } else { format!("%{:02x}", u32::from(c)) }).collect()
}

/// A value as text of a cell: lists with spaces, null as nothing, formulas made harmless.
fn cell_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => unlike_a_formula(text.clone()),
        Value::Array(items) => unlike_a_formula(items.iter().map(cell_text).collect::<Vec<_>>().join(" ")),
        other => other.to_string(),
    }
}

/// The text, with an apostrophe in front if spreadsheets would read a formula.
fn unlike_a_formula(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::{Kept, Kind};

    #[test]
    fn a_histogram_is_of_one_system_on_one_set_under_one_track() {
        let names = [Track::Latency, Track::LatencyAll, Track::Pages]
            .map(|track| histogram_name("a/b", "s.1", track));
        assert_eq!(names, ["a%2fb.s%2e1.hgrm", "a%2fb.s%2e1.latency-all.hgrm", "a%2fb.s%2e1.pages.hgrm"]);
    }

    #[test]
    fn a_kind_has_a_column_of_its_items_and_one_of_their_share() {
        let kinds = [(Kind::Numbers, Kept { found: 8, kept: 6 }), (Kind::Dates, Kept::default())];
        let kinds = kinds.map(|(kind, kept)| KindCount { kind, kept }).to_vec();
        let text = csv_of(&[CellSummary { kinds, ..CellSummary::default() }]);
        let [heads, row] = [0, 1].map(|line| text.lines().nth(line).unwrap());
        assert!(heads.ends_with("numbers_found,numbers_kept,dates_found,dates_kept"), "{heads}");
        assert!(row.ends_with("8,0.75,0,"), "{row}");
    }

    #[test]
    fn a_spreadsheet_sees_no_formula() {
        for (value, text) in [
            (json!("=1+1"), "'=1+1"),
            (json!("@SUM(A1)"), "'@SUM(A1)"),
            (json!("\t=1"), "'\t=1"),
            (json!("ssru"), "ssru"),
            (json!(null), ""),
            (json!(-1.5), "-1.5"),
            (json!(["hung", "flood"]), "hung flood"),
        ] {
            assert_eq!(cell_text(&value), text);
        }
    }
}
