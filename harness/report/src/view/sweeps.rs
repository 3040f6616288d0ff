//! Sweeps in section 5: curves of the gain of more cores and of speed over sizes of batches, maps of speed by
//! beam and batch.

use super::context::SetContext;
use crate::charts::{Axis, Colour, Curve, Curves, Figure, Map};
use crate::material::System;
use crate::tables::{Field, Table};
use dyno_record::{Exchange, Track};
use dyno_results::CellSummary;
use dyno_stats::numbers::{plain, supported};
use dyno_stats::{Estimate, Order, grouped};
use itertools::Itertools;

/// A measured point of a sweep: the value that was swept, and the speed or rate there.
type Point = (usize, Estimate);

/// A sweep: its name, a system of it, its points in ascending order.
struct Swept {
    name: String,
    system: usize,
    points: Vec<Point>,
}

/// The chart of the gain of more cores in `track`, if numbers of cores were swept.
pub(super) fn over_cores(context: &SetContext<'_>, track: Track) -> Option<Figure> {
    let cells = context.cells(track);
    // The figure that grows with the cores, its unit, and how the cores are used.
    let (id, figure, unit, way) = match track.exchange() {
        Exchange::Lines => ("core-sweep-of-a-line", "speed", "words/s", ", line by line"),
        Exchange::Arrivals => ("core-sweep-of-a-server", "greatest rate", "lines/s", " as a server"),
        Exchange::Pages => ("core-sweep-of-a-page", "speed", "words/s", ", page by page"),
        Exchange::File => ("core-sweep", "speed", "words/s", ""),
    };
    let sweeps: Vec<Swept> = cells
        .iter()
        .filter_map(|cell| {
            let (system, points) = (cell.place, of_cores(context, &cells, cell));
            swept(context.name(system), system, points)
        })
        .collect();
    let (most, best) =
        sweeps.iter().map(|sweep| (gains(sweep), sweep)).max_by(|a, b| last(&a.0).total_cmp(&last(&b.0)))?;
    let (cores, least) = (best.points.last()?.0, best.points[0].0);
    let title = format!(
        "{} gains most from cores{way}: {} times its {figure} on {}, with {cores}",
        context.spoken(best.system),
        plain(last(&most)),
        if least == 1 { "one".into() } else { least.to_string() }
    );
    let about = match track.is_served() {
        true => "Greatest rate of arrival over that on the fewest cores; the grey line is the ideal.",
        false => "Words per second over those on the fewest cores; the grey line is the ideal.",
    };
    let mut curves: Vec<Curve> =
        sweeps.iter().map(|sweep| curve(context, sweep, gains(sweep), unit)).collect();
    let ends = [least as f64, cores as f64];
    let ideal = ends.map(|cores| (cores, cores / ends[0]));
    curves.push(Curve::reference("ideal", ideal, format!("ideal: as many times the {figure} as cores")));
    let ticks = ticks(&sweeps);
    let axis = format!("times the {figure} on the fewest{way}");
    let chart = chart(("cores", false, ticks), &axis, curves);
    let title_of_table = match track.is_served() {
        true => "Lines per second within the latency limit by cores".into(),
        false => format!("Words per second by cores{way}"),
    };
    let table = table(&title_of_table, ("cores", unit), &sweeps);
    Some(Figure::of(&chart, &context.id(id), title, about.into(), table))
}

/// Charts of speed over sizes of batches, in words and in lines, if sizes were swept.
pub(super) fn over_batches(context: &SetContext<'_>) -> Vec<Figure> {
    let units = [("batch", "words"), ("batch-lines", "lines")];
    units.into_iter().filter_map(|(setting, unit)| over_one_unit(context, setting, unit)).collect()
}

fn over_one_unit(context: &SetContext<'_>, setting: &str, unit: &str) -> Option<Figure> {
    let cells = context.cells(Track::Throughput1);
    let named =
        cells.iter().filter_map(|cell| Some((context.system(cell.place).sweep.as_ref()?, cell.place)));
    let named = named.unique_by(|(name, _)| *name);
    let sweeps = named
        .filter_map(|(name, system)| swept(name.clone(), system, of_batches(context, &cells, name, setting)));
    let sweeps: Vec<Swept> = sweeps.collect();
    let fastest = sweeps.iter().max_by(|a, b| best(a).1.value.total_cmp(&best(b).1.value))?;
    let title = finding(fastest, unit);
    let about = format!("Words per second on one core over the {unit} that are translated together.");
    let speeds =
        |sweep: &Swept| sweep.points.iter().map(|(size, speed)| (*size as f64, speed.value)).collect();
    let curves = sweeps.iter().map(|sweep| curve(context, sweep, speeds(sweep), "words/s")).collect();
    let axis = format!("{unit} of a batch (log)");
    let chart = chart((&axis, true, ticks(&sweeps)), "words/s on one core", curves);
    let table = table("Words per second on one core by the size of batches", (unit, "words/s"), &sweeps);
    Some(Figure::of(&chart, &context.id(&format!("batch-sweep-{unit}")), title, about, table))
}

/// Finding on sizes of batches: the best one, if it surely beats the worst.
fn finding(sweep: &Swept, unit: &str) -> String {
    let (name, (size, speed)) = (&sweep.name, best(sweep));
    let worst = sweep.points.iter().map(|point| point.1).min_by(|a, b| a.value.total_cmp(&b.value));
    let is_sure = worst.is_some_and(|worst| speed.order(&worst) == Order::Better);
    let speed = supported(&speed);
    match is_sure {
        true => format!("{name} is fastest in batches of {size} {unit}, at {speed} words/s on one core"),
        false => format!(
            "No size of batches is clearly the best for {name}: {speed} words/s on one core at {size}"
        ),
    }
}

/// Point of the greatest speed. A sweep has at least two points.
fn best(sweep: &Swept) -> Point {
    let faster = |a: Point, b: Point| if b.1.value > a.1.value { b } else { a };
    sweep.points.iter().copied().fold(sweep.points[0], faster)
}

/// Speeds of the system of `cell` by cores. Only the system itself has them, not the parts of its sweep.
fn of_cores(context: &SetContext<'_>, cells: &[&CellSummary], cell: &CellSummary) -> Vec<Point> {
    let own = context.system(cell.place);
    let is_of_it = |other: &&&CellSummary| {
        let system = context.system(other.place);
        system.described.cores.is_some() && system.sweep.as_ref() == Some(&own.name)
    };
    if own.described.cores.is_some() {
        return Vec::new();
    }
    let all = cells.iter().filter(is_of_it).chain([&cell]);
    all.filter_map(|cell| Some((cell.cores, capacity(cell)?))).collect()
}

/// Words a second; in the track server the greatest rate, in lines a second.
fn capacity(cell: &CellSummary) -> Option<Estimate> {
    let speed = cell.speed()?;
    if !cell.track.is_served() {
        return Some(speed);
    }
    // Each round's words a second are those at its rate: one factor turns all of them into lines.
    Some(speed.times(cell.served.as_ref()?.rate? / speed.value))
}

/// Speeds of a sweep by its setting.
fn of_batches(context: &SetContext<'_>, cells: &[&CellSummary], sweep: &str, setting: &str) -> Vec<Point> {
    let of = |cell: &&CellSummary| {
        let system = context.system(cell.place);
        Some((system.number(setting)?, cell.speed()?)).filter(|_| system.sweep.as_deref() == Some(sweep))
    };
    cells.iter().filter_map(of).collect()
}

/// The sweep of `points`, if it has at least two values.
fn swept(name: String, system: usize, mut points: Vec<Point>) -> Option<Swept> {
    points.sort_by_key(|point| point.0);
    points.dedup_by_key(|point| point.0);
    (points.len() > 1).then_some(Swept { name, system, points })
}

/// Speeds over that of the least value.
fn gains(sweep: &Swept) -> Vec<(f64, f64)> {
    let first = sweep.points[0].1.value;
    sweep.points.iter().map(|(value, speed)| (*value as f64, speed.value / first)).collect()
}

fn last(points: &[(f64, f64)]) -> f64 {
    points.last().map_or(0.0, |point| point.1)
}

fn curve(context: &SetContext<'_>, sweep: &Swept, line: Vec<(f64, f64)>, unit: &str) -> Curve {
    let told = sweep.points.iter().map(|(value, speed)| format!("{value}: {} {unit}", supported(speed)));
    let colour = Colour::Of(context.system(sweep.system).family);
    Curve::of((sweep.name.clone(), colour), line.clone(), line, told)
}

fn ticks(sweeps: &[Swept]) -> Vec<f64> {
    let values = sweeps.iter().flat_map(|sweep| &sweep.points).map(|point| point.0);
    values.sorted().dedup().map(|value| value as f64).collect()
}

fn chart((x, log, ticks): (&str, bool, Vec<f64>), y: &str, curves: Vec<Curve>) -> Curves {
    Curves {
        x: Axis { ticks: Some(ticks), ..Axis::of(x, log) },
        y: Axis::of(y, false),
        curves,
        label_at: vec![1.0, 0.8, 0.6, 0.4],
    }
}

fn table(title: &str, (head, unit): (&str, &str), sweeps: &[Swept]) -> Table {
    let points = sweeps.iter().flat_map(|sweep| {
        sweep.points.iter().zip(gains(sweep)).map(move |(point, (_, gain))| (sweep, point, gain))
    });
    Table::of(title, points)
        .column("system", |(sweep, ..)| Field::text(&sweep.name))
        .column(format!("#{head}"), |(_, (value, _), _)| Field::text(value.to_string()))
        .column(format!("#{unit}"), |(_, (_, speed), _)| Field::estimate(Some(*speed)))
        .column("#times", |(.., gain)| Field::text(plain(*gain)))
        .aligned()
}

const BEAM: &str = "beam";
const BATCH: &str = "batch";

/// A map for each model whose beam and batch were swept.
pub(super) fn maps(context: &SetContext<'_>) -> Vec<Figure> {
    let swept = context.translators.iter().filter_map(|&system| {
        let of = |name| context.system(system).number(name);
        Some((system, [of(BEAM)?, of(BATCH)?]))
    });
    let sweeps = grouped(swept, |(a, _), (b, _)| same_sweep(context.system(*a), context.system(*b)));
    sweeps.iter().zip(1..).filter_map(|(systems, number)| map(context, systems, number)).collect()
}

/// Whether two systems differ in beam and batch alone.
fn same_sweep(a: &System<'_>, b: &System<'_>) -> bool {
    let others = |system: &System<'_>| {
        let mut others: Vec<_> =
            system.settings.iter().filter(|(name, _)| name != BEAM && name != BATCH).cloned().collect();
        others.sort();
        others
    };
    a.family == b.family && a.described.models == b.described.models && others(a) == others(b)
}

/// Systems, each with its beam and batch.
type ByBeamAndBatch = [(usize, [u32; 2])];

/// The map of `systems`; `None` where beam or batch never varies, and without a speed.
fn map(context: &SetContext<'_>, systems: &ByBeamAndBatch, number: usize) -> Option<Figure> {
    let values = |at: usize| systems.iter().map(|(_, own)| own[at]).sorted().dedup().collect::<Vec<u32>>();
    let (beams, batches) = (values(0), values(1));
    if beams.len() < 2 || batches.len() < 2 {
        return None;
    }
    let field = |beam: &u32, batch: &u32| {
        let (system, _) = systems.iter().find(|(_, own)| *own == [*beam, *batch])?;
        let speed = speed(context, *system)?;
        Some((speed.value, supported(&speed)))
    };
    let texts = |values: &[u32]| values.iter().map(u32::to_string).collect();
    let chart = Map {
        columns: (BATCH.into(), texts(&batches)),
        rows: (BEAM.into(), texts(&beams)),
        name: "words/s on one core".into(),
        fields: beams.iter().map(|beam| batches.iter().map(|batch| field(beam, batch)).collect()).collect(),
    };
    let (id, title) = (context.id(&format!("beam-batch-{number}")), fastest(context, systems)?);
    let about = "Beam downwards, batch across; darker is faster.".into();
    Some(Figure::of(&chart, &id, title, about, table_of_map(&chart)))
}

fn speed(context: &SetContext<'_>, system: usize) -> Option<Estimate> {
    context.cell(system, Track::Throughput1)?.speed()
}

fn fastest(context: &SetContext<'_>, systems: &ByBeamAndBatch) -> Option<String> {
    let speeds = systems.iter().filter_map(|&(system, _)| Some((system, speed(context, system)?)));
    let (fastest, most) = speeds.max_by(|a, b| a.1.value.total_cmp(&b.1.value))?;
    let (name, most) = (context.spoken(fastest), supported(&most));
    Some(format!("{name} is the fastest of its sweep, at {most} words/s on one core"))
}

fn table_of_map(map: &Map) -> Table {
    Table::of("Words per second on one core by beam and batch", map.rows.1.iter().zip(&map.fields))
        .column(BEAM, |(beam, _)| Field::text(*beam))
        .columns(
            map.columns.1.iter().enumerate(),
            |(_, batch)| format!("#batch {batch}"),
            |(at, _), (_, fields)| Field::maybe(fields[*at].as_ref(), |(_, text)| text.clone()),
        )
        .aligned()
}
