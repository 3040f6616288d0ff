//! The track server, in section 3: latency against the rate of arrival, then its closed loop by clients.

use super::context::SetContext;
use crate::charts::{Axis, Curve, Curves, Figure};
use crate::tables::{Field, Rows, Table};
use dyno_record::{Purpose, Served, ServedRun, Track};
use dyno_results::summary::LoadFigures;
use dyno_results::{CellSummary, Column};
use dyno_stats::numbers::{counted, plain};
use itertools::Itertools;

/// The charts, if the track was measured.
pub(super) fn figures(context: &SetContext<'_>) -> Vec<Figure> {
    rates(context).into_iter().chain(closed_loop(context)).collect()
}

fn rates(context: &SetContext<'_>) -> Option<Figure> {
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
    curves.push(Curve::reference("limit", ends(&curves).map(|rate| (rate, limit.limit_ms)), within));
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

/// The charts of the closed loop, throughput and times by the number of clients, if clients were measured.
fn closed_loop(context: &SetContext<'_>) -> Vec<Figure> {
    let mut cells = context.cells(Track::Server);
    cells.retain(|cell| !cell.clients.is_empty());
    [throughput(context, &cells), times(context, &cells)].into_iter().flatten().collect()
}

/// What the charts of the closed loop say of their lines.
const CLOSED_LOOP: &str = "Each client sends a line when it has its answer. A dot is the knee: up to it, a further client adds more to \
     the throughput than to the times. A curve without a dot may have its knee beyond its end.";

fn throughput(context: &SetContext<'_>, cells: &[&CellSummary]) -> Option<Figure> {
    let best = |cell: &&CellSummary| most(cell).map_or(0.0, |(_, load)| load.lines_per_second);
    let first = *cells.iter().max_by(|a, b| best(a).total_cmp(&best(b)))?;
    let (clients, load) = most(first)?;
    let knee = first.knee_clients.map_or_else(
        || "its knee may lie beyond".into(),
        |knee| format!("its knee is at {}", counted(knee, "client", "clients")),
    );
    let title = format!(
        "{} answers the most: {} lines a second, with {}; {knee}",
        context.spoken(first.place),
        plain(load.lines_per_second),
        counted(clients, "client", "clients")
    );
    let chart = clients_chart(context, cells, "answers in a second (log)", |load| load.lines_per_second);
    let table = clients_table("Throughput by the number of clients", context, cells)
        .column("#lines/s", |(.., load)| Field::text(plain(load.lines_per_second)))
        .column("", |(cell, clients, _)| {
            Field::text(if cell.knee_clients == Some(*clients) { "knee" } else { "" })
        })
        .compact();
    Some(Figure::of(&chart, &context.id("clients-throughput"), title, CLOSED_LOOP.into(), table))
}

fn times(context: &SetContext<'_>, cells: &[&CellSummary]) -> Option<Figure> {
    let tail = |cell: &&CellSummary| cell.clients.last_key_value().map_or(0.0, |(_, load)| load.p99_ms);
    let best = *cells.iter().min_by(|a, b| tail(a).total_cmp(&tail(b)))?;
    let (&clients, load) = best.clients.last_key_value()?;
    let title = format!(
        "{} keeps 99 of 100 answers of {} within {} ms",
        context.spoken(best.place),
        counted(clients, "client", "clients"),
        plain(load.p99_ms)
    );
    let chart =
        clients_chart(context, cells, "p99 of the time to the answer in ms (log)", |load| load.p99_ms);
    let table = clients_table("Time to the answer by the number of clients", context, cells)
        .column("#mean ms", |(.., load)| Field::text(plain(load.mean_ms)))
        .column("#p50 ms", |(.., load)| Field::text(plain(load.p50_ms)))
        .column("#p90 ms", |(.., load)| Field::maybe(load.p90_ms, plain))
        .column("#p95 ms", |(.., load)| Field::text(plain(load.p95_ms)))
        .column("#p99 ms", |(.., load)| Field::text(plain(load.p99_ms)))
        .column("limit", |(.., load)| Field::text(if load.kept { "kept" } else { "missed" }))
        .compact();
    Some(Figure::of(&chart, &context.id("clients-times"), title, CLOSED_LOOP.into(), table))
}

/// Number of clients with the greatest throughput; the least one of equals.
fn most(cell: &CellSummary) -> Option<(usize, &LoadFigures)> {
    let loads = cell.clients.iter().rev();
    let most = loads.max_by(|a, b| a.1.lines_per_second.total_cmp(&b.1.lines_per_second));
    most.map(|(&clients, load)| (clients, load))
}

/// A number of clients of a cell, with its figures.
type Load<'a> = (&'a CellSummary, usize, &'a LoadFigures);

/// All numbers of clients of all cells.
fn loads<'a>(cells: &[&'a CellSummary]) -> impl Iterator<Item = Load<'a>> {
    cells.iter().flat_map(|&cell| cell.clients.iter().map(move |(&clients, load)| (cell, clients, load)))
}

/// A table of all numbers of clients, so far with their names alone.
fn clients_table<'a>(caption: &str, context: &SetContext<'_>, cells: &[&'a CellSummary]) -> Rows<Load<'a>> {
    Table::of(caption, loads(cells))
        .column("system", |(cell, ..)| Field::text(context.name(cell.place)))
        .column("#clients", |(_, clients, _)| Field::text(clients.to_string()))
}

fn clients_chart(
    context: &SetContext<'_>,
    cells: &[&CellSummary],
    name: &str,
    figure: fn(&LoadFigures) -> f64,
) -> Curves {
    let counts = loads(cells).map(|(_, clients, _)| clients).sorted().dedup().map(|clients| clients as f64);
    Curves {
        x: Axis {
            ticks: Some(counts.collect()),
            ..Axis::of("clients, each with one line at a time (log)", true)
        },
        y: Axis::of(name, true),
        curves: cells.iter().map(|cell| clients_curve(context, cell, figure)).collect(),
        label_at: vec![1.0, 0.7, 0.4, 0.0],
    }
}

fn clients_curve(context: &SetContext<'_>, cell: &CellSummary, figure: fn(&LoadFigures) -> f64) -> Curve {
    let at = |(&clients, load): (&usize, &LoadFigures)| (clients as f64, figure(load));
    let told = cell.clients.iter().map(|(&clients, load)| {
        let [rate, half, tail] = [load.lines_per_second, load.p50_ms, load.p99_ms].map(plain);
        let clients = counted(clients, "client", "clients");
        format!("{clients}: {rate} lines/s, p50 {half} ms, p99 {tail} ms")
    });
    let knee = cell.knee_clients.and_then(|knee| cell.clients.get_key_value(&knee)).map(at);
    let line = cell.clients.iter().map(at).collect();
    Curve::of(context.look(cell.place), line, knee.into_iter().collect(), told)
}
