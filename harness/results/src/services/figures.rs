//! The list of figures: one for each cell and quantity that a service follows over time.

use dyno_measure::Verdict;

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
