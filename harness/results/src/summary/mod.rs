//! Summary of a run: one row for each cell, with medians over rounds, their intervals, and the standing of
//! the system.

pub mod cell;
pub mod judge;

use std::collections::{BTreeMap, BTreeSet};

use dyno_measure::{Code, Reason, Record, Track, words};
use dyno_stats::{
    LengthFit, by_length, fit_length, mean, median, median_interval, percentile, percentile_bound,
};
use serde::Serialize;

use crate::prices::Price;
use crate::run::{MeasuredCell, Run};
use crate::scores::{SPEARMAN, correlation};
use cell::CellSummary;

/// Summary of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Rows of the cells, by test set and track, systems in the campaign's order.
    pub cells: Vec<CellSummary>,
    /// Noise floor of each track: greatest difference of two measurements of the same system, as a share
    /// (0.02 is 2 %). A track without twins is absent.
    pub noise_floors: BTreeMap<Track, f64>,
    /// Price that counts words per dollar.
    pub price: Option<Price>,
}

/// Greatest share of loading for a steady figure. Above it the rest is mostly noise, and the protocol hides
/// the figure.
const MOST_LOAD_SHARE: f64 = 0.65;

impl Summary {
    /// The summary of `run`.
    pub fn of(run: &Run) -> Self {
        let measured = run.cells();
        let noise_floors = judge::noise_floors(run, &measured);
        let mut cells: Vec<_> = measured.iter().map(|cell| summarise_cell(run, cell)).collect();
        let same_table = |a: &MeasuredCell<'_>, b: &MeasuredCell<'_>| {
            (&a.test_set.name, a.track) == (&b.test_set.name, b.track)
        };
        let mut first = 0;
        // Latency competes by its p95, whose noise differs from that of words a second.
        let p95_floor = judge::noise_floor(run, &measured, Track::Latency, judge::P95);
        for table in measured.chunk_by(same_table) {
            let track = table[0].track;
            let floor = if track.is_lockstep() { p95_floor } else { noise_floors.get(&track).copied() };
            judge::place(run, table, &mut cells[first..first + table.len()], floor.unwrap_or(0.0));
            first += table.len();
        }
        Self { cells, noise_floors, price: run.price.clone() }
    }
}

/// A cell, and the functions from its rounds to its figures.
struct CellFigures<'a> {
    run: &'a Run,
    cell: &'a MeasuredCell<'a>,
    /// Records that count.
    valid: Vec<&'a Record>,
    /// Words a second of these records.
    speeds: Vec<f64>,
    /// Hash of the output that is scored.
    output: Option<&'a String>,
}

impl<'a> CellFigures<'a> {
    fn of(run: &'a Run, cell: &'a MeasuredCell<'a>) -> Self {
        let valid = cell.valid();
        let output = scored_output(&valid);
        Self { run, cell, valid, speeds: cell.speeds(), output }
    }

    /// Median over rounds.
    fn over_rounds(&self, value: impl Fn(&Record) -> Option<f64>) -> Option<f64> {
        median(&self.valid.iter().filter_map(|record| value(record)).collect::<Vec<_>>())
    }

    /// Median over rounds of a figure of a round's lines, in milliseconds.
    fn latency(&self, figure: impl Fn(&[f64]) -> Option<f64>) -> Option<f64> {
        self.over_rounds(|record| figure(&milliseconds(&record.latency_ns)))
    }

    fn percentile(&self, p: f64) -> Option<f64> {
        self.latency(|ms| percentile(ms, p))
    }

    fn bound(&self, p: f64) -> Option<f64> {
        self.latency(|ms| percentile_bound(ms, p))
    }

    /// Fit of latency over the words of the source.
    fn fit(&self) -> Option<LengthFit> {
        let words_of = |line: &Vec<u8>| words(line);
        fit_length(&by_length(self.valid.iter().flat_map(|record| {
            let words = self.cell.test_set.source.iter().map(words_of);
            words.zip(milliseconds(&record.latency_ns))
        })))
    }

    /// Speed in units of the answers instead of source words.
    fn speed_in(&self, count: impl Fn(&String) -> usize) -> Option<f64> {
        let counted = self.run.outputs.get(self.output?)?.iter().map(count).sum::<usize>() as f64;
        Some(median(&self.speeds)? * counted / self.cell.test_set.words() as f64)
    }

    fn priced(&self, value: impl Fn(&Price, f64) -> f64) -> Option<f64> {
        Some(value(self.run.price.as_ref()?, median(&self.speeds)?))
    }

    fn most(&self, value: impl Fn(&Record) -> u64) -> Option<u64> {
        self.valid.iter().map(|record| value(record)).max().filter(|&most| most > 0)
    }
}

/// The row of a cell. The function is long because each line is one column.
fn summarise_cell(run: &Run, cell: &MeasuredCell<'_>) -> CellSummary {
    let figures = CellFigures::of(run, cell);
    let (interval, fit, load_share) =
        (median_interval(&figures.speeds), figures.fit(), figures.over_rounds(load_share));
    let score = figures.output.and_then(|output| run.scores.of(output, &cell.test_set.name));
    let spread = bleu_spread(run, cell);
    let cores = cell.records[0].system_cores.len();
    CellSummary {
        test_set: cell.test_set.name.clone(),
        track: cell.track,
        system: cell.system.into(),
        profile: cell.records[0].profile,
        verdict: cell.verdict(),
        reasons: faults(&cell.records),
        warnings: warnings(&cell.records),
        standing: None,
        rounds: figures.valid.len(),
        words_per_second: median(&figures.speeds),
        words_per_second_low: interval.map(|interval| interval.low),
        words_per_second_high: interval.map(|interval| interval.high),
        interval_coverage: interval.map(|interval| interval.coverage),
        steady_words_per_second: load_share
            .filter(|&share| share <= MOST_LOAD_SHARE)
            .and_then(|_| figures.over_rounds(steady)),
        load_share,
        target_words_per_second: figures.speed_in(|line| words(line.as_bytes())),
        target_chars_per_second: figures.speed_in(|line| line.chars().count()),
        words_per_dollar: figures.priced(|price, speed| price.words_per_dollar(speed)),
        words_per_dollar_pro_rata: figures
            .priced(|price, speed| price.words_per_dollar_pro_rata(speed, cores)),
        mean_ms: figures.latency(mean),
        p50_ms: figures.percentile(50.0),
        p50_bound_ms: figures.bound(50.0),
        p90_ms: figures.percentile(90.0),
        p90_bound_ms: figures.bound(90.0),
        p95_ms: figures.percentile(95.0),
        p95_bound_ms: figures.bound(95.0),
        p99_ms: figures.percentile(99.0),
        p99_bound_ms: figures.bound(99.0),
        p999_ms: figures.percentile(99.9),
        p999_bound_ms: figures.bound(99.9),
        max_ms: figures.latency(|ms| ms.iter().copied().reduce(f64::max)),
        line_ms: fit.map(|fit| fit.fixed_ms),
        word_ms: fit.map(|fit| fit.word_ms),
        start_ms: figures.over_rounds(|record| record.start_ns.map(|ns| ns as f64 / 1e6)),
        model_bytes: cell.records.iter().find_map(|record| record.model_bytes),
        model_declared: is_declared(&cell.records),
        peak_bytes: figures.most(|record| record.usage.peak_bytes),
        floor_bytes: figures.most(|record| record.usage.floor_bytes),
        bleu: score.map(|score| score.bleu),
        bleu_confidence: score.map(|score| score.bleu_confidence),
        bleu_low: spread.map(|(low, _)| low),
        bleu_high: spread.map(|(_, high)| high),
        chrf: score.map(|score| score.chrf),
        chrf_confidence: score.map(|score| score.chrf_confidence),
        other_metrics: other_metrics(run, cell, figures.output),
        output: figures.output.cloned(),
    }
}

/// Scores by the user's own metrics, and an encoder's correlation with half of its interval.
fn other_metrics(run: &Run, cell: &MeasuredCell<'_>, output: Option<&String>) -> BTreeMap<String, f64> {
    let Some(output) = output else { return BTreeMap::new() };
    let score = run.scores.of(output, &cell.test_set.name);
    let mut metrics = score.map(|score| score.others.clone()).unwrap_or_default();
    let answers = run.outputs.get(output);
    if let Some(sampled) = answers.and_then(|answers| correlation(cell.test_set, answers)) {
        metrics.insert(SPEARMAN.into(), sampled.score);
        metrics.insert(format!("{SPEARMAN} ±"), sampled.half_interval());
    }
    metrics
}

/// Hash of the output that is scored.
///
/// Most systems give the same output in all rounds. For a system that samples, the start times of its rounds
/// draw one output. A system can't foresee them, so it can't do better work in one chosen round.
fn scored_output<'a>(rounds: &[&'a Record]) -> Option<&'a String> {
    let outputs: Vec<_> = rounds.iter().filter_map(|record| record.output.as_ref()).collect();
    let moments = rounds.iter().fold(0, |sum: u64, record| sum.wrapping_add(record.started_unix_ms));
    outputs.get(moments.checked_rem(outputs.len() as u64)? as usize).copied()
}

/// Lowest and highest BLEU of a cell's rounds, INVALID rounds included; `None` if all rounds gave one text. A
/// system that is better in some rounds shows here, whichever round is drawn.
fn bleu_spread(run: &Run, cell: &MeasuredCell<'_>) -> Option<(f64, f64)> {
    let texts: BTreeSet<&String> = cell.records.iter().filter_map(|record| record.output.as_ref()).collect();
    let scored = texts.iter().filter_map(|text| run.scores.of(text, &cell.test_set.name));
    let bleu: Vec<f64> = scored.map(|score| score.bleu).collect();
    let (low, high) = (bleu.iter().copied().reduce(f64::min)?, bleu.iter().copied().reduce(f64::max)?);
    (texts.len() > 1).then_some((low, high))
}

/// Whether the size of the model is declared alone. Rounds that were refused have seen nothing.
fn is_declared(cell: &[&Record]) -> bool {
    let mut sized = cell.iter().filter(|record| record.model_bytes.is_some()).peekable();
    sized.peek().is_some() && sized.all(|record| record.model_is_declared())
}

/// Faults, each code once, with its first figure.
fn faults(cell: &[&Record]) -> Vec<Reason> {
    let mut first: BTreeMap<Code, &Reason> = BTreeMap::new();
    for reason in cell.iter().flat_map(|record| &record.reasons) {
        first.entry(reason.code).or_insert(reason);
    }
    first.into_values().cloned().collect()
}

/// Warnings, each code once. The figure is that of the last round, which compared with most rounds.
fn warnings(cell: &[&Record]) -> Vec<Reason> {
    let last: BTreeMap<Code, &Reason> =
        cell.iter().flat_map(|record| &record.warnings).map(|warning| (warning.code, warning)).collect();
    last.into_values().cloned().collect()
}

fn milliseconds(ns: &[u64]) -> Vec<f64> {
    ns.iter().map(|&ns| ns as f64 / 1e6).collect()
}

fn load_share(record: &Record) -> Option<f64> {
    Some(median(&milliseconds(&record.one_line_ns))? / mean(&milliseconds(&record.launch_ns))?)
}

/// Words a second of a launch without loading, which is the time of a launch with one line. Given for any
/// share of loading.
pub fn steady(record: &Record) -> Option<f64> {
    let load_free = mean(&milliseconds(&record.launch_ns))? - median(&milliseconds(&record.one_line_ns))?;
    (load_free > 0.0).then(|| record.words_of_a_pass() as f64 / (load_free / 1e3))
}
