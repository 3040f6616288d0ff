//! Latency against the rate of arrival, in section 3: the curve of each system in the track server.

use super::context::SetContext;
use crate::charts::{Axis, Colour, Curve, Curves, Figure};
use crate::tables::{Field, Table};
use dyno_record::{Purpose, Served, ServedRun, Track};
use dyno_results::{CellSummary, Column};
use dyno_stats::numbers::plain;

/// The chart, if the track was measured.
pub(super) fn figure(context: &SetContext<'_>) -> Option<Figure> {
    let cells = context.cells(Track::Server);
    let served: Vec<(&CellSummary, &Served)> =
        cells.iter().filter_map(|cell| Some((*cell, cell.served.as_ref()?))).collect();
    let rates = served.iter().filter_map(|(cell, served)| Some((*cell, served.rate?)));
    let (best, most) = rates.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let limit = best.served.as_ref()?.limit;
    let within = format!("p{} within {} ms", limit.percentile, limit.limit_ms);
    let title = format!(
        "{} takes the most: {} lines a second with {within}",
        context.spoken(best.place),
        plain(most)
    );
    let about = format!(
        "Lines arrive at random instants, whether or not earlier ones are answered. The curve is the {}th \
         percentile of the time from arrival to answer; the grey line is the limit.",
        limit.percentile
    );
    let mut curves: Vec<Curve> = served.iter().map(|(cell, served)| curve(context, cell, served)).collect();
    curves.push(Curve {
        name: "limit".into(),
        colour: Colour::Grey,
        line: ends(&curves).map(|rate| (rate, limit.limit_ms)).into(),
        dots: Vec::new(),
        tip: vec![within],
    });
    let chart = Curves {
        x: Axis::of("lines that arrive in a second (log)", true),
        y: Axis::of(format!("p{} of the time to the answer in ms (log)", limit.percentile), true),
        curves,
        label_at: vec![1.0, 0.7, 0.4, 0.0],
    };
    Some(Figure::of(&chart, &context.id("latency-rate"), title, about, table(context, &served)))
}

/// Runs of the curve, by rate. Runs that ended early show only the lines until then; those of the search are
/// short.
fn points(served: &Served) -> Vec<&ServedRun> {
    let is_point =
        |run: &&ServedRun| !run.stopped && matches!(run.purpose, Purpose::Confirm | Purpose::Curve);
    let mut runs: Vec<&ServedRun> = served.runs.iter().filter(is_point).collect();
    runs.sort_by(|a, b| a.rate.total_cmp(&b.rate));
    runs
}

fn curve(context: &SetContext<'_>, cell: &CellSummary, served: &Served) -> Curve {
    let line: Vec<(f64, f64)> = points(served).iter().map(|run| (run.rate, run.limited_ms)).collect();
    let told = points(served).into_iter().map(|run| {
        let (rate, half, tail) = (plain(run.rate), plain(run.p50_ms), plain(run.p99_ms));
        format!("{rate} lines/s: p50 {half} ms, p99 {tail} ms")
    });
    Curve::of(context.look(cell.place), line.clone(), line, told)
}

/// Least and greatest rate of all curves.
fn ends(curves: &[Curve]) -> [f64; 2] {
    let rates = || curves.iter().flat_map(|curve| &curve.line).map(|point| point.0);
    [rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max)]
}

fn table(context: &SetContext<'_>, served: &[(&CellSummary, &Served)]) -> Table {
    let runs = served.iter().flat_map(|(cell, served)| {
        points(served).into_iter().map(move |run| (*cell, run, Some(run.rate) == served.rate))
    });
    let figure = |column: Column, cell: &CellSummary, greatest: bool| {
        Field::shown(column, cell, column.figure_on_page(cell).filter(|_| greatest))
    };
    Table::of("Time to the answer by the rate of arrival", runs)
        .column("system", |(cell, ..)| Field::text(context.name(cell.place)))
        .column("#lines/s", |(_, run, _)| Field::text(plain(run.rate)))
        .column("#p50 ms", |(_, run, _)| Field::text(plain(run.p50_ms)))
        .column("#p95 ms", |(_, run, _)| Field::text(plain(run.p95_ms)))
        .column("#p99 ms", |(_, run, _)| Field::text(plain(run.p99_ms)))
        .column("limit", |(_, run, greatest)| {
            let kept = if run.kept { "kept" } else { "missed" };
            Field::text(if *greatest { "greatest rate" } else { kept })
        })
        .column("#words/s", |(cell, _, greatest)| figure(Column::Speed, cell, *greatest))
        .column("#Mwords/$", |(cell, _, greatest)| figure(Column::Dollars, cell, *greatest))
        .compact()
}
