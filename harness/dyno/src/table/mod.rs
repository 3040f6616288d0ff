//! Tables in the terminal: one for each test set and track, and grids for other commands.
//!
//! Figures are aligned right. Judgements of cells come from `dyno-results`; tables only show them.

mod grid;

use std::fmt::Write;

use dyno_api::printable_line;
use dyno_record::{Exchange, Verdict};
use dyno_results::merge::rows_by_table;
use dyno_results::prices::Price;
use dyno_results::scores::Scale;
use dyno_results::summary::Remark;
use dyno_results::summary::judge::unusable;
use dyno_results::{CellSummary, Column, Summary};
use dyno_stats::grouped;
use dyno_stats::{Standing, numbers};
use grid::{align, narrowed};
pub use grid::{fitted, grid, width, wrapped};
use itertools::Itertools;

/// Column of a table: its head, and the text of a row.
type Texts = (String, Box<dyn Fn(&CellSummary) -> String>);

fn texts(head: &str, text: impl Fn(&CellSummary) -> String + 'static) -> Texts {
    (head.into(), Box::new(text))
}

fn figures(column: Column) -> Texts {
    texts(column.head(), move |row| column.figure(row).map_or_else(none, |figure| column.text(row, &figure)))
}

/// All tables of a run, each below a title with track and test set.
pub fn render(summary: &Summary) -> String {
    let rows = &summary.cells;
    let tables = tables(rows, &summary.metrics) + &notes(summary) + &disagreements(summary);
    tables + &priced_by(summary) + &reasons_and_warnings(rows)
}

/// Tables of a merged run: the hosts below each other in each table.
pub fn render_hosts(summaries: &[Summary]) -> String {
    let rows = rows_by_table(summaries);
    let metrics = summaries.first().map_or(&[][..], |summary| &summary.metrics);
    let prices = summaries.iter().map(priced_by);
    let told: String = prices.chain(summaries.iter().map(disagreements)).sorted().dedup().collect();
    tables(&rows, metrics) + &told + &reasons_and_warnings(&rows)
}

fn tables(rows: &[CellSummary], metrics: &[Scale]) -> String {
    let mut text = String::new();
    for cells in rows.chunk_by(|a, b| (&a.test_set, a.track) == (&b.test_set, b.track)) {
        let (track, set) = (cells[0].track, &cells[0].test_set);
        let _ = writeln!(text, "\ntrack {track} ({}) · {set}", track.text());
        let _ = writeln!(text, "{}", table(cells, columns(cells, metrics), width()));
        text += &closed_loop(cells);
        if let Some(unusable) = unusable_of(metrics, cells) {
            text += &note(&format!("{unusable}; compare speeds alone"));
        }
    }
    text
}

/// Curves of the closed loop, a line for each number of clients; nothing without one.
fn closed_loop(cells: &[CellSummary]) -> String {
    let rows: Vec<Vec<String>> = cells.iter().flat_map(curve).collect();
    if rows.is_empty() {
        return String::new();
    }
    let beyond = |row: &&CellSummary| row.clients.len() > 1 && row.knee_clients.is_none();
    let beyond = cells.iter().filter(beyond).map(|row| {
        let most = row.clients.keys().last().copied().unwrap_or(0);
        note(&format!("{}: the knee may lie beyond {most} clients", row.system))
    });
    let beyond: String = beyond.collect();
    let heads = ["system", "clients", "lines/s", "p50 ms", "p90 ms", "p95 ms", "p99 ms", "limit", ""];
    let grid = fitted(&heads, &rows, 1..7, &["p95 ms", "p90 ms", "p50 ms"]);
    format!("\nclosed loop: each client sends a line when it has its answer\n{grid}\n{beyond}")
}

fn curve(row: &CellSummary) -> impl Iterator<Item = Vec<String>> {
    row.clients.iter().map(|(clients, load)| {
        let figures = [
            Some(load.lines_per_second),
            Some(load.p50_ms),
            load.p90_ms,
            Some(load.p95_ms),
            Some(load.p99_ms),
        ];
        let figures = figures.map(|figure| figure.map_or_else(none, numbers::plain));
        let kept = if load.kept { "kept" } else { "missed" };
        let knee = if row.knee_clients == Some(*clients) { "knee" } else { "" };
        let names = [row.system.clone(), clients.to_string()];
        names.into_iter().chain(figures).chain([kept.into(), knee.into()]).collect()
    })
}

/// The sentence on cells of one table, if none of those that may stand on the frontier is usable.
fn unusable_of(metrics: &[Scale], cells: &[CellSummary]) -> Option<String> {
    let standing = cells.iter().filter(|row| row.standing.is_some());
    let scores = standing.filter_map(|row| Some(row.first_quality()?.value));
    unusable(metrics.first()?, scores.reduce(f64::max)?)
}

/// Notes below the tables: each source as its own translation, where no row of a null system says that; settings in
/// which systems are unequal; engines on one model, so that no line reads as a better model.
fn notes(summary: &Summary) -> String {
    let copied = summary.copied.iter().map(|(set, figures)| {
        let mut told = summary.metrics.iter().filter_map(|scale| {
            let figure = figures.iter().find(|figure| figure.metric == scale.name)?;
            Some(scale.titled(figure.score?, None))
        });
        format!("the source of {set} as its own translation: {}", told.join(", "))
    });
    let told = |remarks: &[Remark], with_set: fn(&Remark) -> String| -> Vec<String> {
        let several = remarks.iter().map(|one| &one.test_set).unique().count() > 1;
        remarks.iter().map(|one| if several { with_set(one) } else { one.text.clone() }).collect()
    };
    let unequal = told(&summary.unequal, |one| format!("{}: {}", one.test_set, one.text));
    let same_weights = told(&summary.same_weights, |one| format!("{} on {}", one.text, one.test_set));
    copied.chain(unequal).chain(same_weights).map(|told| note(&told)).collect()
}

fn note(told: &str) -> String {
    wrapped(&printable_line(told), "  ") + "\n"
}

/// Pairs that another metric ranks the other way than the first.
fn disagreements(summary: &Summary) -> String {
    summary.disagreements.iter().map(|found| note(&found.about(&summary.metrics))).collect()
}

/// Price of the run with its date and place, without which a price means little.
fn priced_by(summary: &Summary) -> String {
    let Some(Price { instance, provider, region, hourly_usd, date, .. }) = &summary.price else {
        return String::new();
    };
    format!("$: {instance} at ${hourly_usd} an hour, the whole instance ({provider} {region}, {date})\n")
}

fn columns(cells: &[CellSummary], metrics: &[Scale]) -> Vec<Texts> {
    use Column::*;
    let mut columns = vec![texts("system", |row| row.system.clone())];
    columns.extend(metrics.iter().map(metric_column));
    let track = cells[0].track;
    let own: &[Column] = match track.exchange() {
        Exchange::Arrivals => &[Speed, Rate, P50, P99],
        Exchange::Pages => &[Speed, FirstLine, FirstLineP95, P50, P95, P99],
        Exchange::Lines => &[Speed, P50, P95, P99, Start],
        Exchange::File => &[Speed, Steady, Load],
    };
    columns.extend(own.iter().copied().map(figures));
    if track.is_served() {
        let limited = columns.len() - 2;
        columns.insert(limited, texts("limit", |row| limit(row).unwrap_or_else(none)));
    }
    columns.push(figures(Dollars));
    let measured = |column: &Column| cells.iter().any(|row| column.figure(row).is_some());
    let told = [ColdStart, FirstText, Piece, Energy, Cpu, FirstToken, TokensRead, TokensWritten];
    columns.extend(told.into_iter().filter(measured).map(figures));
    columns.extend([Model, Peak].map(figures));
    columns.extend([Settled].into_iter().filter(measured).map(figures));
    columns.push(texts("verdict", verdict));
    columns
}

/// Limit of a row in the track server: "p99 ≤ 250 ms".
fn limit(row: &CellSummary) -> Option<String> {
    Some(format!("p{} ≤ {} ms", row.limit_percentile?, row.limit_ms?))
}

/// Column of a metric. The first one of a row shows its interval, and the spread where the rounds' texts differ.
fn metric_column(scale: &Scale) -> Texts {
    let scale = scale.clone();
    texts(&scale.title.clone(), move |row| {
        let Some(place) = row.quality.iter().position(|quality| quality.metric == scale.name) else {
            return none();
        };
        let quality = &row.quality[place];
        let Some(score) = quality.score else { return none() };
        let spread = match (quality.low, quality.high) {
            (Some(low), Some(high)) if place == 0 => {
                format!(" ({} to {})", scale.text(low, None), scale.text(high, None))
            }
            _ => String::new(),
        };
        scale.text(score, quality.confidence.filter(|_| place == 0)) + &spread
    })
}

/// Columns that a narrow terminal leaves out, first to last; `--json` and summary.csv have all columns.
const DISPENSABLE: [&str; 13] = [
    "tokens in/s",
    "tokens out/s",
    "first line p95 ms",
    "start ms",
    "settled MiB",
    "load %",
    "CPU s/kword",
    "p99 ms",
    "peak MiB",
    "model MiB",
    "steady",
    "Mwords/$",
    "p50 ms",
];

/// Table of `rows`, at most `width` characters wide if the necessary columns fit.
fn table(rows: &[CellSummary], mut columns: Vec<Texts>, width: usize) -> String {
    if rows.iter().any(|row| row.host.is_some()) {
        columns.insert(1, texts("host", |row| row.host.clone().unwrap_or_default()));
    }
    let heads: Vec<&str> = columns.iter().map(|(head, _)| head.as_str()).collect();
    let names = if heads.get(1) == Some(&"host") { 2 } else { 1 };
    let figures = names..columns.len() - 1;
    let mut cells: Vec<Vec<String>> =
        rows.iter().map(|row| columns.iter().map(|(_, text)| text(row)).collect()).collect();
    figures.clone().for_each(|column| align(&mut cells, column));
    narrowed(&heads, &cells, figures, &DISPENSABLE, width)
}

/// Reasons and warnings below the tables, since the column of verdicts has no room for them.
fn reasons_and_warnings(rows: &[CellSummary]) -> String {
    let mut text = String::new();
    let mut add_lines = |kind: &str, what: fn(&CellSummary) -> Vec<String>| {
        // Tracks mostly share their complaints, so one line names all tracks.
        let same = |a: &&CellSummary, b: &&CellSummary| {
            (&a.host, &a.system, &a.test_set, what(a)) == (&b.host, &b.system, &b.test_set, what(b))
        };
        for group in grouped(rows.iter().filter(|row| !what(row).is_empty()), same) {
            let row = group[0];
            let (system, set) = (&row.system, &row.test_set);
            let tracks = group.iter().map(|row| row.track.name()).join(", ");
            let host = row.host.as_ref().map(|host| format!("{host}: ")).unwrap_or_default();
            let told = format!("{kind}: {host}{system} on {set} under {tracks}: {}", what(row).join(", "));
            text += &note(&told);
        }
    };
    add_lines("INVALID", CellSummary::fault_codes);
    add_lines("warning", CellSummary::warning_texts);
    if rows.iter().any(|row| row.verdict == Verdict::Noisy) {
        text += &note(
            "NOISY: the host disturbed more than half of a cell's rounds; `dyno doctor` finds the cause",
        );
    }
    text
}

fn verdict(row: &CellSummary) -> String {
    let standing = match row.standing {
        Some(Standing::Frontier) => "  ◆ frontier",
        Some(Standing::Probably) => "  ◇ probably",
        Some(Standing::Off) | None => "",
    };
    format!("{}{standing}", row.verdict.name())
}

fn none() -> String {
    "–".into()
}
