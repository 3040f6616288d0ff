//! Section 3, latency: its distribution, the cost of a line and of a word, the slowest lines.

use super::context::{Section, SetContext};
use super::server;
use crate::charts::{Axis, Curve, Curves, Figure};
use crate::sentences::beginning;
use crate::tables::{Field, Table};
use dyno_measure::words;
use dyno_record::{Exchange, Track};
use dyno_results::CellSummary;
use dyno_results::summary::Duel;
use dyno_results::turns::Measure;
use dyno_stats::numbers::{factor, percent_tick, plain, supported};
use dyno_stats::{Estimate, Order, by_length, median, quantile, sorted};
use itertools::Itertools;

/// Names of the percentiles that a cell has.
const PERCENTILES: [&str; 4] = ["p50", "p90", "p95", "p99"];

pub fn section(context: &SetContext<'_>) -> Section {
    let tracks = Track::ALL.into_iter().filter(|track| track.is_lockstep());
    let lockstep = tracks.flat_map(|track| of_track(context, track));
    let figures: Vec<Figure> = lockstep.chain(server::figures(context)).collect();
    let note = figures
        .is_empty()
        .then(|| "Latency was measured in no track here, or no round of one counts.".into());
    let tables = slowest(context).into_iter().collect();
    Section { id: "latency", title: "Latency", figures, tables, note }
}

fn of_track(context: &SetContext<'_>, track: Track) -> Vec<Figure> {
    let mut cells = context.cells(track);
    cells.retain(|cell| !cell.latency_ms.is_empty());
    let Some(first) = cells.first() else { return Vec::new() };
    let place = match track.has_several_cores() {
        true => format!(" on {} cores", first.cores),
        false => String::new(),
    };
    [distribution(context, &cells, &place), lengths(context, &cells, &place)].into_iter().flatten().collect()
}

fn distribution(context: &SetContext<'_>, cells: &[&CellSummary], place: &str) -> Option<Figure> {
    let (track, unit) = (cells[0].track, cells[0].track.unit());
    let end = if track.exchange() == Exchange::Pages { " to its last line" } else { "" };
    let chart = Curves {
        x: Axis::of(format!("latency of a {unit}{end}{place} in ms (log)"), true),
        y: Axis {
            text: percent_tick,
            ticks: Some(vec![0.0, 0.25, 0.5, 0.75, 0.95]),
            ..Axis::of(format!("share of {unit}s answered within"), false)
        },
        curves: cells.iter().map(|cell| curve(context, cell)).collect(),
        label_at: vec![0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2, 0.9, 0.12],
    };
    let about = format!(
        "For each system the share of {unit}s that were answered within a time; steep is steady, left is fast."
    );
    let (title, table) = (tail_finding(context, cells, place)?, percentiles(context, cells));
    Some(Figure::of(&chart, &context.id(&format!("{track}-ecdf")), title, about, table))
}

fn curve(context: &SetContext<'_>, cell: &CellSummary) -> Curve {
    let sorted = sorted(&cell.latency_ms);
    // A hundred points: a screen shows no more.
    let shares = (0..=100).map(|i| f64::from(i) / 100.0);
    let line = shares.filter_map(|share| Some((quantile(&sorted, share)?, share))).collect();
    let told = PERCENTILES.iter().zip(&cell.percentiles_ms);
    let told = told.filter_map(|(name, ms)| Some(format!("{name} {} ms", supported(ms.as_ref()?))));
    Curve::of(context.look(cell.place), line, Vec::new(), told)
}

/// Finding on the tail: the system of least p95, and the next one behind it.
fn tail_finding(context: &SetContext<'_>, cells: &[&CellSummary], place: &str) -> Option<String> {
    let p95 = |cell: &CellSummary| {
        let told = cell.percentiles_ms[2].map(|p95| p95.value);
        told.or_else(|| quantile(&sorted(&cell.latency_ms), 0.95)).unwrap_or(f64::INFINITY)
    };
    let mut ranked = cells.iter().sorted_by(|a, b| p95(a).total_cmp(&p95(b)));
    let (fastest, next) = (ranked.next()?, ranked.next());
    let (tail, name) = (p95(fastest), context.spoken(fastest.place));
    let unit = fastest.track.unit();
    let answers = format!("{name} answers 95 % of {unit}s within {} ms{place}", plain(tail));
    let rival = next.and_then(|next| Some((next, fastest.percentiles_ms[2]?, next.percentiles_ms[2]?)));
    let Some((next, own, other)) = rival else { return Some(answers) };
    let paired = next.duels.get(&(Measure::P95, fastest.place)).copied();
    let duel = paired.unwrap_or_else(|| Duel::apart(&other, &own));
    let rival = context.spoken(next.place);
    Some(match duel.order {
        Order::Better => format!("{answers}; {rival}, the next, takes {} times as long", factor(&duel.ratio)),
        _ => format!("{answers}; {rival} can't be told from it"),
    })
}

fn percentiles(context: &SetContext<'_>, cells: &[&CellSummary]) -> Table {
    let unit = cells[0].track.unit();
    Table::of(format!("Latency percentiles, and the fitted cost of a {unit} and of a word"), cells)
        .column("system", |cell| Field::text(context.name(cell.place)))
        .column("#first line p50 ms", |cell| Field::maybe(cell.first_line_p50_ms, plain))
        .column("#first line p95 ms", |cell| Field::maybe(cell.first_line_p95_ms, plain))
        .column("#first line p99 ms", |cell| Field::maybe(cell.first_line_p99_ms, plain))
        .columns(
            PERCENTILES.into_iter().enumerate(),
            |(_, name)| format!("#{name} ms"),
            |(i, _), cell| Field::estimate(cell.percentiles_ms[*i]),
        )
        .column("#p99 below", |cell| Field::maybe(cell.p99_bound_ms, plain))
        .column("#p99.9 ms", |cell| Field::maybe(cell.p999_ms, plain))
        .column("#p99.9 below", |cell| Field::maybe(cell.p999_bound_ms, plain))
        .column(format!("#ms a {unit}"), |cell| Field::maybe(cell.line_ms, plain))
        .column("#ms a word more", |cell| Field::maybe(cell.word_ms, plain))
        .compact()
}

/// Words of each source line, or of each page in the track pages.
fn source_words(context: &SetContext<'_>, track: Track) -> Vec<usize> {
    let (set, words_of) = (context.set.texts, |lines: &[Vec<u8>]| lines.iter().map(|line| words(line)).sum());
    set.units(track).into_iter().map(|unit| words_of(&set.source[unit])).collect()
}

fn lengths(context: &SetContext<'_>, cells: &[&CellSummary], place: &str) -> Option<Figure> {
    let (track, unit) = (cells[0].track, cells[0].track.unit());
    let source = source_words(context, track);
    let curves: Vec<Curve> = cells.iter().filter_map(|cell| by_words(context, cell, &source)).collect();
    if curves.is_empty() {
        return None;
    }
    let ends = curves.iter().flat_map(|curve| &curve.line).map(|at| at.1).minmax().into_option();
    // Where systems lie far apart, a linear scale would press the fast ones onto the axis.
    let log = ends.is_some_and(|(least, most)| least > 0.0 && most / least > 30.0);
    let name = format!("latency{place} in ms{}", if log { " (log)" } else { "" });
    let chart = Curves {
        x: Axis::of(format!("words of the source {unit}"), false),
        y: Axis::of(name, log),
        curves,
        label_at: vec![1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3],
    };
    let about = format!(
        "Dots are medians over {unit}s of similar length; each line is the fitted cost of a {unit} plus that of its words."
    );
    let (title, table) = (length_finding(context, cells)?, length_table(context, cells, &source));
    Some(Figure::of(&chart, &context.id(&format!("{track}-length")), title, about, table))
}

/// Width of a group of lengths in words, wide enough for a median of its lines or pages.
const fn width(track: Track) -> usize {
    match track.exchange() {
        Exchange::Pages => 25,
        _ => 5,
    }
}
/// Least lines of a group for a dot; fewer give no useful median.
const LEAST: usize = 4;

/// Medians over groups of source lengths: mean words, milliseconds, lines or pages.
fn groups(cell: &CellSummary, source: &[usize]) -> Vec<(f64, f64, usize)> {
    let (pairs, width) = (source.iter().copied().zip(cell.latency_ms.iter().copied()), width(cell.track));
    let wide = |(words, ms): (usize, f64)| (words.div_ceil(width), ms);
    let groups = by_length(pairs.filter(|(words, _)| *words > 0).map(wide));
    let middle = |group: usize| group as f64 * width as f64 - (width - 1) as f64 / 2.0;
    groups.iter().filter(|g| g.lines >= LEAST).map(|g| (middle(g.words), g.median_ms, g.lines)).collect()
}

fn by_words(context: &SetContext<'_>, cell: &CellSummary, source: &[usize]) -> Option<Curve> {
    let (fixed, word) = cell.line_ms.zip(cell.word_ms)?;
    let groups = groups(cell, source);
    let longest = groups.last()?.0;
    let at = |words: f64| (words, fixed + word * words);
    let line: Vec<_> =
        (0..=20).map(|i| at(1.0 + (longest - 1.0) * f64::from(i) / 20.0)).filter(|at| at.1 > 0.0).collect();
    let dots = groups.iter().map(|group| (group.0, group.1)).collect();
    let told =
        [format!("{} ms a {}", plain(fixed), cell.track.unit()), format!("+ {} ms a word", plain(word))];
    Some(Curve::of(context.look(cell.place), line, dots, told))
}

fn length_finding(context: &SetContext<'_>, cells: &[&CellSummary]) -> Option<String> {
    let fits = cells.iter().filter_map(|cell| Some((cell, cell.line_ms.zip(cell.word_ms)?)));
    let (cell, (fixed, word)) = fits.min_by(|a, b| a.1.1.total_cmp(&b.1.1))?;
    let two = |ms: f64| supported(&Estimate::give_or_take(ms, ms.abs() * 0.26));
    let unit = cell.track.unit();
    let line = if fixed > 0.0 { format!("{} ms a {unit} and ", two(fixed)) } else { String::new() };
    let least = if cells.len() > 1 { ", the least of all for a word" } else { "" };
    Some(format!("{} takes {line}{} ms a word{least}", context.spoken(cell.place), two(word)))
}

fn length_table(context: &SetContext<'_>, cells: &[&CellSummary], source: &[usize]) -> Table {
    let grouped: Vec<_> = cells.iter().map(|cell| (cell, groups(cell, source))).collect();
    let lengths = grouped.iter().flat_map(|(_, groups)| groups).map(|group| group.0);
    // As many columns as a table can show side by side.
    let lengths: Vec<f64> = lengths.sorted_by(f64::total_cmp).dedup().take(10).collect();
    let half = (width(cells[0].track) / 2) as f64;
    let title = format!("Median latency in ms by words of the source {}", cells[0].track.unit());
    Table::of(title, grouped)
        .column("system", |(cell, _)| Field::text(context.name(cell.place)))
        .columns(
            lengths,
            |middle| format!("#{:.0}–{:.0}", middle - half, middle + half),
            |middle, (_, groups)| Field::maybe(groups.iter().find(|g| g.0 == *middle).map(|g| g.1), plain),
        )
        .aligned()
}

/// Slowest lines of each system: more would hide the systems.
const SLOWEST: usize = 3;

/// The slowest lines of each system, with their text: what a tail is made of.
fn slowest(context: &SetContext<'_>) -> Option<Table> {
    let source = &context.set.texts.source;
    let lines = context.cells(Track::Latency).into_iter().flat_map(|cell| slowest_of(cell, source.len()));
    let table = Table::of("Slowest lines, by their median over the rounds", lines)
        .column("system", |(cell, ..)| Field::text(context.name(cell.place)))
        .column("#ms", |(cell, _, line)| Field::text(plain(cell.latency_ms[*line])))
        .column("#times its median", |(cell, middle, line)| {
            Field::text(plain(cell.latency_ms[*line] / middle))
        })
        .column("#line", |(.., line)| Field::text((line + 1).to_string()))
        .column("#words", |(.., line)| Field::text(words(&source[*line]).to_string()))
        .column("text", |(.., line)| Field::text(beginning(&String::from_utf8_lossy(&source[*line]))))
        .table();
    (!table.rows.is_empty()).then(|| table.aligned())
}

/// Indices of the slowest lines of a cell, among the first `lines`, each with the cell and its median.
fn slowest_of(cell: &CellSummary, lines: usize) -> Vec<(&CellSummary, f64, usize)> {
    let Some(middle) = median(&cell.latency_ms) else { return Vec::new() };
    let mut lines: Vec<usize> = (0..cell.latency_ms.len().min(lines)).collect();
    lines.sort_by(|&a, &b| cell.latency_ms[b].total_cmp(&cell.latency_ms[a]));
    lines.into_iter().take(SLOWEST).map(|line| (cell, middle, line)).collect()
}
