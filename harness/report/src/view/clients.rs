//! The closed loop of the track server, in section 3: throughput and times by the number of clients.

use super::context::SetContext;
use crate::charts::{Axis, Curve, Curves, Figure};
use crate::tables::{Field, Rows, Table};
use dyno_record::Track;
use dyno_results::CellSummary;
use dyno_results::summary::LoadFigures;
use dyno_stats::numbers::{counted, plain};

/// Both charts, if clients were measured.
pub(super) fn figures(context: &SetContext<'_>) -> Vec<Figure> {
    let mut cells = context.cells(Track::Server);
    cells.retain(|cell| !cell.clients.is_empty());
    [throughput(context, &cells), times(context, &cells)].into_iter().flatten().collect()
}

/// What both charts say of their lines.
const ABOUT: &str = "Each client sends a line when it has its answer. A dot is the knee: up to it, a further client adds more to \
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
    let chart = chart(context, cells, "answers in a second (log)", |load| load.lines_per_second);
    let table = table("Throughput by the number of clients", context, cells)
        .column("#lines/s", |(.., load)| Field::text(plain(load.lines_per_second)))
        .column("", |(cell, clients, _)| {
            Field::text(if cell.knee_clients == Some(*clients) { "knee" } else { "" })
        })
        .compact();
    Some(Figure::of(&chart, &context.id("clients-throughput"), title, ABOUT.into(), table))
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
    let chart = chart(context, cells, "p99 of the time to the answer in ms (log)", |load| load.p99_ms);
    let table = table("Time to the answer by the number of clients", context, cells)
        .column("#mean ms", |(.., load)| Field::text(plain(load.mean_ms)))
        .column("#p50 ms", |(.., load)| Field::text(plain(load.p50_ms)))
        .column("#p90 ms", |(.., load)| Field::maybe(load.p90_ms, plain))
        .column("#p95 ms", |(.., load)| Field::text(plain(load.p95_ms)))
        .column("#p99 ms", |(.., load)| Field::text(plain(load.p99_ms)))
        .column("limit", |(.., load)| Field::text(if load.kept { "kept" } else { "missed" }))
        .compact();
    Some(Figure::of(&chart, &context.id("clients-times"), title, ABOUT.into(), table))
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
fn table<'a>(caption: &str, context: &SetContext<'_>, cells: &[&'a CellSummary]) -> Rows<Load<'a>> {
    Table::of(caption, loads(cells))
        .column("system", |(cell, ..)| Field::text(context.name(cell.place)))
        .column("#clients", |(_, clients, _)| Field::text(clients.to_string()))
}

fn chart(
    context: &SetContext<'_>,
    cells: &[&CellSummary],
    name: &str,
    figure: fn(&LoadFigures) -> f64,
) -> Curves {
    let mut counts: Vec<f64> = loads(cells).map(|(_, clients, _)| clients as f64).collect();
    counts.sort_by(f64::total_cmp);
    counts.dedup();
    Curves {
        x: Axis { ticks: Some(counts), ..Axis::of("clients, each with one line at a time (log)", true) },
        y: Axis::of(name, true),
        curves: cells.iter().map(|cell| curve(context, cell, figure)).collect(),
        label_at: vec![1.0, 0.7, 0.4, 0.0],
    }
}

fn curve(context: &SetContext<'_>, cell: &CellSummary, figure: fn(&LoadFigures) -> f64) -> Curve {
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
