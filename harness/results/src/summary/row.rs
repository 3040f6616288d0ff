//! The row of a cell: each of its figures in a column, its quality, its faults and warnings.

use std::collections::{BTreeMap, BTreeSet};

use dyno_api::counts;
use dyno_record::{Code, Reason, Record};
use dyno_stats::{mean, median_coverage, median_interval};
use itertools::Itertools;

use super::cell::{CellSummary, MetricFigure};
use super::counted::Counted;
use super::figures::{CellFigures, load_share, own_count, steady};
use super::load;
use crate::run::Run;
use crate::run::cells::MeasuredCell;
use crate::scores::Scale;

/// Greatest share of loading for a steady figure. Above it the rest is mostly noise, and the protocol hides
/// the figure.
const MOST_LOAD_SHARE: f64 = 0.65;

/// The row of a cell. The function is long because each line is one column.
pub(super) fn summarise_cell(
    run: &Run,
    cell: &MeasuredCell<'_>,
    scales: &[Scale],
    counted: &Counted<'_>,
) -> CellSummary {
    let figures = CellFigures::of(run, cell, counted);
    let (speed, fit, load_share) =
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
        words_per_second: speed.map(|speed| speed.value),
        words_per_second_low: speed.map(|speed| speed.low),
        words_per_second_high: speed.map(|speed| speed.high),
        interval_coverage: speed.map(|_| median_coverage(figures.speeds.len())),
        steady_words_per_second: load_share
            .filter(|&share| share <= MOST_LOAD_SHARE)
            .and_then(|_| figures.over_rounds(steady)),
        load_share,
        target_words_per_second: figures.speed_in(|[words, _]| words),
        target_chars_per_second: figures.speed_in(|[_, chars]| chars),
        words_per_dollar: figures.priced(cores, |price, speed| price.words_per_dollar(speed)),
        words_per_dollar_pro_rata: figures
            .priced(cores, |price, speed| price.words_per_dollar_pro_rata(speed, cores)),
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
        p90_ms: figures.percentile(90.0).or(figures.served(|run| run.p90_ms)),
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
        first_text_p50_ms: figures.percentile_of(|record| record.pieces().0, 50.0),
        first_text_p95_ms: figures.percentile_of(|record| record.pieces().0, 95.0),
        piece_ms: figures.piece_ms(),
        first_line_p50_ms: figures.percentile_of(Record::first_line_ns, 50.0),
        first_line_p95_ms: figures.percentile_of(Record::first_line_ns, 95.0),
        first_line_p99_ms: figures.percentile_of(Record::first_line_ns, 99.0),
        line_ms: fit.map(|fit| fit.fixed_ms),
        word_ms: fit.map(|fit| fit.word_ms),
        start_ms: figures.start_ms(false),
        cold_start_ms: figures.start_ms(true),
        model_bytes: cell.records.iter().filter_map(|record| record.model_bytes).max(),
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
    let all = cell.records.iter().flat_map(|record| &record.reasons).chain(&cell.unlike);
    all.unique_by(|reason| reason.code).sorted_by_key(|reason| reason.code).cloned().collect()
}

/// Warnings, each code once. The figure is that of the last round, which compared with most rounds.
fn warnings(cell: &[&Record]) -> Vec<Reason> {
    let last: BTreeMap<Code, &Reason> =
        cell.iter().flat_map(|record| &record.warnings).map(|warning| (warning.code, warning)).collect();
    last.into_values().cloned().collect()
}
