//! The closed loop of the track server, in section 3: throughput and times by the number of clients.

use super::context::SetContext;
use crate::charts::{Axis, Curve, Curves, Figure};
use crate::tables::{Field, Table};
use dyno_measure::Track;
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
    let mut table =
        Table::new("Throughput by the number of clients", &["system", "#clients", "#lines/s", ""]);
    for (cell, clients, load) in loads(cells) {
        let knee = if cell.knee_clients == Some(clients) { "knee" } else { "" };
        let figure = Field::text(plain(load.lines_per_second));
        table.push("", names(context, cell, clients).into_iter().chain([figure, Field::text(knee)]));
    }
    let table = table.without_empty_columns().aligned();
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
    let heads = ["system", "#clients", "#mean ms", "#p50 ms", "#p90 ms", "#p95 ms", "#p99 ms", "limit"];
    let mut table = Table::new("Time to the answer by the number of clients", &heads);
    for (cell, clients, load) in loads(cells) {
        let times =
            [Some(load.mean_ms), Some(load.p50_ms), load.p90_ms, Some(load.p95_ms), Some(load.p99_ms)];
        let times = times.map(|ms| Field::maybe(ms, plain));
        let kept = Field::text(if load.kept { "kept" } else { "missed" });
        table.push("", names(context, cell, clients).into_iter().chain(times).chain([kept]));
    }
    let table = table.without_empty_columns().aligned();
    Some(Figure::of(&chart, &context.id("clients-times"), title, ABOUT.into(), table))
}

/// Number of clients with the greatest throughput; the least one of equals.
fn most(cell: &CellSummary) -> Option<(usize, &LoadFigures)> {
    let loads = cell.clients.iter().rev();
    let most = loads.max_by(|a, b| a.1.lines_per_second.total_cmp(&b.1.lines_per_second));
    most.map(|(&clients, load)| (clients, load))
}

/// All numbers of clients of all cells.
fn loads<'a>(cells: &[&'a CellSummary]) -> impl Iterator<Item = (&'a CellSummary, usize, &'a LoadFigures)> {
    cells.iter().flat_map(|&cell| cell.clients.iter().map(move |(&clients, load)| (cell, clients, load)))
}

fn names(context: &SetContext<'_>, cell: &CellSummary, clients: usize) -> [Field; 2] {
    [Field::text(context.name(cell.place)), Field::text(clients.to_string())]
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
