//! Summary of a run: one row for each cell, with medians over rounds, their intervals, and the standing of
//! the system.

pub mod cell;
mod counted;
mod disagreement;
mod duel;
pub mod judge;
mod load;
mod same_weights;
mod unequal;

use std::collections::{BTreeMap, BTreeSet};

use dyno_api::{Breakdown, counts};
use dyno_measure::{Code, Reason, Record, Served, ServedRun, TestSet, Track};
use dyno_record::identity::Search;
use dyno_stats::{
    Estimate, LengthFit, by_length, fit_length, mean, median, median_interval, percentile, percentile_bound,
};
use serde::Serialize;

use crate::prices::Price;
use crate::run::{CellBreakdown, MeasuredCell, Run};
use crate::scores::{Scale, name_of_copy};
use crate::turns::Measure;
pub use cell::Remark;
use cell::{CellSummary, MetricFigure};
use counted::Counted;
pub use disagreement::Disagreement;
pub use duel::Duel;
pub use load::LoadFigures;

/// Summary of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Rows of the cells, by test set and track, systems in the campaign's order.
    pub cells: Vec<CellSummary>,
    /// Noise floor of each track: greatest difference of two measurements of the same system, as a share
    /// (0.02 is 2 %). A track without twins is absent.
    pub noise_floors: BTreeMap<Track, f64>,
    /// Price that counts words per dollar.
    pub price: Option<Price>,
    /// Scales of the metrics, the frontier's first.
    pub metrics: Vec<Scale>,
    /// Pairs of systems that another metric ranks the other way than the first.
    pub disagreements: Vec<Disagreement>,
    /// Systems of different engines on one model, with what differs between them.
    pub same_weights: Vec<Remark>,
    /// Settings in which the systems on one test set are unequal.
    pub unequal: Vec<Remark>,
    /// Quality of each test set's source as its own translation, by the name of the set. A set whose source a system has
    /// returned has none here: that system's row says it.
    pub copied: BTreeMap<String, Vec<MetricFigure>>,
}

/// Greatest share of loading for a steady figure. Above it the rest is mostly noise, and the protocol hides
/// the figure.
const MOST_LOAD_SHARE: f64 = 0.65;

impl Summary {
    /// The summary of `run`.
    pub fn of(run: &Run) -> Self {
        let (measured, scales, counted) = (run.cells(), run.scales(), Counted::of(run));
        let noise_floors = judge::noise_floors(run, &measured);
        let mut cells: Vec<_> =
            measured.iter().map(|cell| summarise_cell(run, cell, &scales, &counted)).collect();
        let same_table = |a: &MeasuredCell<'_>, b: &MeasuredCell<'_>| {
            (&a.test_set.name, a.track) == (&b.test_set.name, b.track)
        };
        let mut first = 0;
        for table in measured.chunk_by(same_table) {
            let track = table[0].track;
            let floor = |measure| match measure {
                Measure::Speed => noise_floors.get(&track).copied(),
                Measure::P95 => judge::noise_floor(run, &measured, track, measure),
            };
            judge::place(run, table, &mut cells[first..first + table.len()], floor);
            first += table.len();
        }
        let disagreements = disagreement::disagreements(run, &cells, &scales);
        let same_weights = same_weights::same_weights(run, &cells);
        let sets: Vec<&str> = run.test_sets.iter().map(|set| set.name.as_str()).collect();
        let (unequal, copied) = (unequal::unequal(&sets, &cells), copied(run, &cells, &scales));
        let price = run.price.clone();
        Self { cells, noise_floors, price, metrics: scales, disagreements, same_weights, unequal, copied }
    }
}

/// Quality of the source of each set, where it was scored and no system has returned it.
fn copied(run: &Run, cells: &[CellSummary], scales: &[Scale]) -> BTreeMap<String, Vec<MetricFigure>> {
    let on_set = |set: &TestSet| {
        let name = name_of_copy(set);
        let figure = |scale: &Scale| {
            let quality = run.scores.quality(&scale.name, &name, &set.name)?;
            let (metric, score, confidence) = (scale.name.clone(), Some(quality.score), quality.confidence);
            Some(MetricFigure { metric, score, confidence, low: None, high: None })
        };
        let figures: Vec<MetricFigure> = scales.iter().filter_map(figure).collect();
        let is_returned =
            cells.iter().any(|row| row.test_set == set.name && row.output.as_ref() == Some(&name));
        (!figures.is_empty() && !is_returned).then(|| (set.name.clone(), figures))
    };
    run.test_sets.iter().filter_map(on_set).collect()
}

/// A cell, and the functions from its rounds to its figures.
struct CellFigures<'a> {
    run: &'a Run,
    cell: &'a MeasuredCell<'a>,
    valid: Vec<&'a Record>,
    /// Words a second of these records.
    speeds: Vec<f64>,
    /// Latencies of each of these records in milliseconds, ascending: a percentile of sorted lines costs
    /// little.
    sorted_ms: Vec<Vec<f64>>,
    output: Option<&'a String>,
    counted: &'a Counted<'a>,
}

impl<'a> CellFigures<'a> {
    fn of(run: &'a Run, cell: &'a MeasuredCell<'a>, counted: &'a Counted<'a>) -> Self {
        let valid = cell.valid();
        let output = run.scored_output(cell);
        let sorted_ms = valid.iter().map(|record| {
            let mut ms = milliseconds(record.latency_ns());
            ms.sort_unstable_by(f64::total_cmp);
            ms
        });
        Self { run, cell, sorted_ms: sorted_ms.collect(), valid, speeds: cell.speeds(), output, counted }
    }

    /// Median over rounds.
    fn over_rounds(&self, value: impl Fn(&Record) -> Option<f64>) -> Option<f64> {
        median(&self.valid.iter().filter_map(|record| value(record)).collect::<Vec<_>>())
    }

    /// Median over rounds of a figure of a round's lines, in milliseconds.
    fn latency(&self, figure: impl Fn(&[f64]) -> Option<f64>) -> Option<f64> {
        median(&self.sorted_ms.iter().filter_map(|ms| figure(ms)).collect::<Vec<_>>())
    }

    /// Median over rounds of a percentile of the lines, with its interval.
    fn spread(&self, p: f64) -> Option<Estimate> {
        let rounds: Vec<f64> = self.sorted_ms.iter().filter_map(|ms| percentile(ms, p)).collect();
        let interval = median_interval(&rounds)?;
        Some(Estimate { value: median(&rounds)?, low: interval.low, high: interval.high })
    }

    /// Median latency of each line over the rounds.
    fn lines_ms(&self) -> Vec<f64> {
        let lines = self.valid.iter().map(|record| record.latency_ns()).filter(|lines| !lines.is_empty());
        let rounds: Vec<&[u64]> = lines.collect();
        let lines = rounds.iter().map(|lines| lines.len()).min().unwrap_or(0);
        let line = |i: usize| median(&rounds.iter().map(|lines| lines[i] as f64 / 1e6).collect::<Vec<_>>());
        (0..lines).filter_map(line).collect()
    }

    /// Round of the median rate; of an even number the lower one.
    fn median_served(&self) -> Option<Served> {
        let mut served: Vec<&Served> = self.valid.iter().filter_map(|record| record.served()).collect();
        let rate = |served: &Served| served.rate.unwrap_or(0.0);
        served.sort_by(|a, b| rate(a).total_cmp(&rate(b)));
        served.get(served.len().saturating_sub(1) / 2).copied().cloned()
    }

    fn breakdown(&self) -> Option<Breakdown> {
        let cell = (self.cell.system, self.cell.test_set.name.as_str(), self.cell.track);
        let is_own = |row: &&CellBreakdown| (row.system.as_str(), row.test_set.as_str(), row.track) == cell;
        self.run.breakdowns.iter().find(is_own).map(|row| row.breakdown.clone())
    }

    fn percentile(&self, p: f64) -> Option<f64> {
        self.latency(|ms| percentile(ms, p))
    }

    fn bound(&self, p: f64) -> Option<f64> {
        self.latency(|ms| percentile_bound(ms, p))
    }

    /// Median over rounds of a figure of the run that confirms the greatest rate.
    fn served(&self, figure: impl Fn(&ServedRun) -> f64) -> Option<f64> {
        self.over_rounds(|record| record.served()?.confirming().map(&figure))
    }

    /// Fit of latency over the words of the source, where a line or a page is alone.
    fn fit(&self) -> Option<LengthFit> {
        let MeasuredCell { test_set, track, .. } = self.cell;
        if !track.is_lockstep() {
            return None;
        }
        let words = &self.counted.lines[test_set.name.as_str()];
        let of_units: Vec<usize> =
            test_set.units(*track).into_iter().map(|unit| words[unit].iter().sum()).collect();
        fit_length(&by_length(
            self.valid
                .iter()
                .flat_map(|record| of_units.iter().copied().zip(milliseconds(record.latency_ns()))),
        ))
    }

    /// Median over rounds of a percentile of the times to the first line of a page.
    fn first_line(&self, p: f64) -> Option<f64> {
        self.over_rounds(|record| percentile(&milliseconds(record.first_line_ns()), p))
    }

    /// Median over rounds of the time from launch to the first answer, of launches that were cold or weren't.
    fn start_ms(&self, cold: bool) -> Option<f64> {
        self.over_rounds(|record| {
            record.start_ns.filter(|_| record.is_cold() == cold).map(|ns| ns as f64 / 1e6)
        })
    }

    /// Median over rounds of a percentile of the times to the first text of an answer.
    fn first_text(&self, p: f64) -> Option<f64> {
        self.over_rounds(|record| percentile(&milliseconds(record.pieces().0), p))
    }

    /// Median over rounds of the mean time between two pieces of an answer.
    fn piece_ms(&self) -> Option<f64> {
        self.over_rounds(|record| {
            let (first_ns, counts) = record.pieces();
            let ns: u64 = record.latency_ns().iter().zip(first_ns).map(|(last, first)| last - first).sum();
            let gaps: usize = counts.iter().map(|count| count - 1).sum();
            (gaps > 0).then(|| ns as f64 / 1e6 / gaps as f64)
        })
    }

    /// Speed in units of the answers instead of source words.
    fn speed_in(&self, count: impl Fn([usize; 2]) -> usize) -> Option<f64> {
        let counted = count(*self.counted.outputs.get(self.output?.as_str())?) as f64;
        let source: usize = self.counted.lines[self.cell.test_set.name.as_str()].iter().sum();
        Some(median(&self.speeds)? * counted / source as f64)
    }

    fn priced(&self, value: impl Fn(&Price, f64) -> f64) -> Option<f64> {
        Some(value(self.run.price.as_ref()?, median(&self.speeds)?))
    }

    /// Median over rounds of a system's own count in a second of its own count of time.
    fn rate(&self, count: &str, ns: &str) -> Option<f64> {
        self.over_rounds(|record| match [count, ns].map(|name| own_count(record, name)) {
            [0, _] | [_, 0] => None,
            [count, ns] => Some(count as f64 / (ns as f64 / 1e9)),
        })
    }

    /// Median over rounds of the mean time to a line's first token, by the system's own account. A system that claims
    /// to have waited longer than its answers took has none. Elsewhere than line by line a line waits for
    /// others, so that the figure would say nothing.
    fn first_token_ms(&self, track: Track) -> Option<f64> {
        let answers = self.latency(mean)?;
        let seconds = self.rate(counts::FIRST_TOKENS, counts::FIRST_TOKENS_NS).map(f64::recip);
        seconds.map(|seconds| seconds * 1e3).filter(|ms| track.has_one_line() && *ms <= answers)
    }

    /// A fact of the system's search, where that is known.
    fn search<T>(&self, fact: impl Fn(&Search) -> Option<T>) -> Option<T> {
        fact(self.run.identity.system(self.cell.system)?.search.as_ref()?)
    }

    fn most(&self, value: impl Fn(&Record) -> u64) -> Option<u64> {
        self.valid.iter().map(|record| value(record)).max().filter(|&most| most > 0)
    }
}

/// The row of a cell. The function is long because each line is one column.
fn summarise_cell(
    run: &Run,
    cell: &MeasuredCell<'_>,
    scales: &[Scale],
    counted: &Counted<'_>,
) -> CellSummary {
    let figures = CellFigures::of(run, cell, counted);
    let (interval, fit, load_share) =
        (median_interval(&figures.speeds), figures.fit(), figures.over_rounds(load_share));
    let cores = cell.records[0].system_cores.len();
    let by_clients = load::by_clients(&figures.valid);
    let limit = figures.valid.iter().find_map(|record| Some(record.served()?.limit));
    CellSummary {
        test_set: cell.test_set.name.clone(),
        track: cell.track,
        system: cell.system.into(),
        profile: cell.records[0].profile,
        precision: figures.search(|search| Some(search.precision.clone())),
        beam: figures.search(|search| Some(search.beam)),
        most_words: figures.search(|search| search.limit),
        cores,
        verdict: cell.verdict(),
        reasons: faults(cell),
        warnings: warnings(&cell.records),
        rounds: figures.valid.len(),
        words_per_second: median(&figures.speeds),
        words_per_second_low: interval.map(|interval| interval.low),
        words_per_second_high: interval.map(|interval| interval.high),
        interval_coverage: interval.map(|interval| interval.coverage),
        steady_words_per_second: load_share
            .filter(|&share| share <= MOST_LOAD_SHARE)
            .and_then(|_| figures.over_rounds(steady)),
        load_share,
        target_words_per_second: figures.speed_in(|[words, _]| words),
        target_chars_per_second: figures.speed_in(|[_, chars]| chars),
        words_per_dollar: figures.priced(|price, speed| price.words_per_dollar(speed)),
        words_per_dollar_pro_rata: figures
            .priced(|price, speed| price.words_per_dollar_pro_rata(speed, cores)),
        joules_per_word: figures.over_rounds(Record::joules_per_word),
        cpu_seconds_per_1000_words: figures
            .over_rounds(|record| Some(record.cpu_seconds_per_word()? * 1000.0)),
        lines_per_second: figures.over_rounds(|record| record.served()?.rate),
        limit_ms: limit.map(|limit| limit.limit_ms),
        limit_percentile: limit.map(|limit| limit.percentile),
        knee_clients: load::knee(&by_clients),
        clients: by_clients,
        mean_ms: figures.latency(mean).or(figures.served(|run| run.mean_ms)),
        p50_ms: figures.percentile(50.0).or(figures.served(|run| run.p50_ms)),
        p50_bound_ms: figures.bound(50.0),
        p90_ms: figures
            .percentile(90.0)
            .or(figures.over_rounds(|record| record.served()?.confirming()?.p90_ms)),
        p90_bound_ms: figures.bound(90.0),
        p95_ms: figures.percentile(95.0).or(figures.served(|run| run.p95_ms)),
        p95_bound_ms: figures.bound(95.0),
        p99_ms: figures.percentile(99.0).or(figures.served(|run| run.p99_ms)),
        p99_bound_ms: figures.bound(99.0),
        p999_ms: figures.percentile(99.9),
        p999_bound_ms: figures.bound(99.9),
        max_ms: figures
            .latency(|ms| ms.iter().copied().reduce(f64::max))
            .or(figures.served(|run| run.max_ms)),
        first_text_p50_ms: figures.first_text(50.0),
        first_text_p95_ms: figures.first_text(95.0),
        piece_ms: figures.piece_ms(),
        first_line_p50_ms: figures.first_line(50.0),
        first_line_p95_ms: figures.first_line(95.0),
        first_line_p99_ms: figures.first_line(99.0),
        line_ms: fit.map(|fit| fit.fixed_ms),
        word_ms: fit.map(|fit| fit.word_ms),
        start_ms: figures.start_ms(false),
        cold_start_ms: figures.start_ms(true),
        model_bytes: cell.records.iter().find_map(|record| record.model_bytes),
        model_declared: is_declared(&cell.records),
        peak_bytes: figures.most(|record| record.usage.peak_bytes),
        floor_bytes: figures.most(|record| record.usage.floor_bytes),
        settled_bytes: figures.most(|record| record.settled_bytes.unwrap_or(0)),
        first_token_ms: figures.first_token_ms(cell.track),
        tokens_read_per_second: figures.rate(counts::TOKENS_READ, counts::READING_NS),
        tokens_written_per_second: figures.rate(counts::TOKENS_WRITTEN, counts::WRITING_NS),
        weight_bytes: figures.most(|record| own_count(record, counts::WEIGHT_BYTES)),
        kept_bytes: figures.most(|record| own_count(record, counts::KEPT_BYTES)),
        quality: scales
            .iter()
            .filter(|scale| scale.suits(cell.test_set))
            .map(|scale| quality_of(run, cell, scale, figures.output))
            .collect(),
        kinds: figures
            .output
            .and_then(|output| counted.kinds.get(&[cell.test_set.name.as_str(), output]).cloned())
            .unwrap_or_default(),
        output: figures.output.cloned(),
        place: run.systems().iter().position(|system| *system == cell.system).unwrap_or(0),
        served: figures.median_served(),
        percentiles_ms: [50.0, 90.0, 95.0, 99.0].map(|percent| figures.spread(percent)),
        latency_ms: figures.lines_ms(),
        breakdown: figures.breakdown(),
        ..CellSummary::default()
    }
}

/// Quality of a cell by one metric. A system that is better in some rounds shows in the lowest and highest
/// score of all rounds, INVALID rounds included.
fn quality_of(run: &Run, cell: &MeasuredCell<'_>, scale: &Scale, output: Option<&String>) -> MetricFigure {
    let set = &cell.test_set.name;
    let scored = |text: &String| run.scores.quality(&scale.name, text, set);
    let quality = output.and_then(scored);
    let texts: BTreeSet<&String> = cell.records.iter().filter_map(|record| record.output.as_ref()).collect();
    let of_rounds = || texts.iter().copied().filter_map(scored).map(|quality| quality.score);
    let differ = texts.len() > 1;
    MetricFigure {
        metric: scale.name.clone(),
        score: quality.map(|quality| quality.score),
        confidence: quality.and_then(|quality| quality.confidence),
        low: of_rounds().reduce(f64::min).filter(|_| differ),
        high: of_rounds().reduce(f64::max).filter(|_| differ),
    }
}

/// Whether the size of the model is declared alone. Rounds that were refused have seen nothing.
fn is_declared(cell: &[&Record]) -> bool {
    let mut sized = cell.iter().filter(|record| record.model_bytes.is_some()).peekable();
    sized.peek().is_some() && sized.all(|record| record.model_is_declared())
}

/// Faults, each code once, with its first figure.
fn faults(cell: &MeasuredCell<'_>) -> Vec<Reason> {
    let mut first: BTreeMap<Code, &Reason> = BTreeMap::new();
    for reason in cell.records.iter().flat_map(|record| &record.reasons).chain(&cell.unlike) {
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

/// A count of the system's own facts; 0 where there is none.
fn own_count(record: &Record, name: &str) -> u64 {
    record.facts.as_ref().and_then(|facts| facts.counts.get(name).copied()).unwrap_or(0)
}

fn milliseconds(ns: &[u64]) -> Vec<f64> {
    ns.iter().map(|&ns| ns as f64 / 1e6).collect()
}

fn load_share(record: &Record) -> Option<f64> {
    let launches = record.launches()?;
    Some(median(&milliseconds(&launches.one_line_ns))? / mean(&milliseconds(&launches.ns))?)
}

/// Words a second of a launch without loading, which is the time of a launch with one line. Given for any
/// share of loading.
pub fn steady(record: &Record) -> Option<f64> {
    let launches = record.launches()?;
    let load_free = mean(&milliseconds(&launches.ns))? - median(&milliseconds(&launches.one_line_ns))?;
    (load_free > 0.0).then(|| record.words_of_a_pass() as f64 / (load_free / 1e3))
}
