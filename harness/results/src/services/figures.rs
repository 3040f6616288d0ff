//! The list of figures, one for each cell and quantity that a service follows over time, and its short forms.

use dyno_record::Verdict;
use serde_json::{Map, Value, json};

use crate::scores::Scale;
use crate::summary::cell::CellSummary;

/// A figure of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure<'a> {
    /// Cell of the figure.
    pub cell: &'a CellSummary,
    /// Name of the quantity, such as `throughput` or `quality-bleu`.
    pub quantity: String,
    /// Unit of the value.
    pub unit: String,
    /// Value.
    pub value: f64,
    /// Lower and upper end of its interval, where it has one.
    pub interval: Option<(f64, f64)>,
    /// Whether less is better.
    pub less_is_better: bool,
}

impl Figure<'_> {
    /// Name of the cell: host, test set, track and system, as far as the run has several hosts.
    pub fn place(&self) -> String {
        let CellSummary { host, test_set, track, system, .. } = self.cell;
        let host = host.as_ref().map(|host| format!("{host}/")).unwrap_or_default();
        format!("{host}{test_set}/{track}/{system}")
    }
}

/// Figures of all cells that may be quoted: INVALID cells have none.
pub fn figures<'a>(cells: &'a [CellSummary], metrics: &[Scale]) -> Vec<Figure<'a>> {
    let quotable = cells.iter().filter(|cell| cell.verdict != Verdict::Invalid);
    quotable.flat_map(|cell| of_cell(cell, metrics)).collect()
}

/// Nanoseconds of a millisecond: services count latency in nanoseconds.
const NS_PER_MS: f64 = 1e6;

fn of_cell<'a>(cell: &'a CellSummary, metrics: &[Scale]) -> Vec<Figure<'a>> {
    let figure = |quantity: &str, unit: &str, value: Option<f64>, interval, less_is_better| {
        let (quantity, unit) = (quantity.into(), unit.into());
        value.map(|value| Figure { cell, quantity, unit, value, interval, less_is_better })
    };
    let interval = cell.words_per_second_low.zip(cell.words_per_second_high);
    let ns = |ms: Option<f64>| ms.map(|ms| ms * NS_PER_MS);
    let money = cell.words_per_dollar;
    let scaled = |(low, high): (f64, f64)| {
        let factor = money? / cell.words_per_second?;
        Some((low * factor, high * factor))
    };
    let own = [
        figure("throughput", "words/s", cell.words_per_second, interval, false),
        figure("latency", "ns", ns(cell.p50_ms), None, true),
        figure("latency-p95", "ns", ns(cell.p95_ms), None, true),
        figure("words-per-dollar", "words/$", money, interval.and_then(scaled), false),
        figure("peak-memory", "bytes", cell.peak_bytes.map(|bytes| bytes as f64), None, true),
    ];
    let quality = cell.quality.iter().filter_map(|quality| {
        let scale = metrics.iter().find(|scale| scale.name == quality.metric)?;
        let interval = |score: f64| quality.confidence.map(|half| (score - half, score + half));
        let (name, score) = (format!("quality-{}", quality.metric), quality.score);
        figure(&name, &scale.title, score, score.and_then(interval), !scale.is_higher_better())
    });
    own.into_iter().flatten().chain(quality).collect()
}

/// The custom formats of github-action-benchmark, by file: `tool: customSmallerIsBetter` and `tool:
/// customBiggerIsBetter`, since the action takes one direction a file.
pub fn action_files(figures: &[Figure<'_>]) -> [(&'static str, Value); 2] {
    let list = |less_is_better: bool| {
        figures.iter().filter(|figure| figure.less_is_better == less_is_better).map(entry).collect()
    };
    [("smaller-is-better.json", list(true)), ("bigger-is-better.json", list(false))]
}

fn entry(figure: &Figure<'_>) -> Value {
    let name = format!("{} {}", figure.place(), figure.quantity);
    let mut entry = json!({"name": name, "unit": figure.unit, "value": figure.value});
    if let Some((low, high)) = figure.interval {
        entry["range"] = json!(format!("{low} to {high}"));
    }
    entry["extra"] = json!(format!("{}, {} rounds", figure.cell.verdict.name(), figure.cell.rounds));
    entry
}

/// Bencher's Metric Format, for `bencher run --adapter json --file`: benchmarks by name, each with its measures.
/// `throughput` and `latency` are measures that Bencher knows; the others are created by their names.
pub fn bencher(figures: &[Figure<'_>]) -> Value {
    let mut benchmarks = Map::new();
    for figure in figures {
        let benchmark = benchmarks.entry(figure.place()).or_insert_with(|| json!({}));
        benchmark[&slug(&figure.quantity)] = match figure.interval {
            Some((low, high)) => json!({"value": figure.value, "lower_value": low, "upper_value": high}),
            None => json!({"value": figure.value}),
        };
    }
    benchmarks.into()
}

/// Name of a measure as Bencher writes it: small letters, digits and hyphens.
fn slug(name: &str) -> String {
    let letters = name.to_lowercase().replace('+', "p");
    letters.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}
