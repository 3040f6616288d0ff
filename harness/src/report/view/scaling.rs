//! Section 5: what more cores bring, beam × batch where they were swept, sizes and memory.

use super::{Scene, Section};
use crate::report::charts::{Bar, Bars, Figure, Map};
use crate::report::material::{Cell, System};
use crate::report::numbers::{Estimate, factor, mebibytes, plain, supported};
use crate::report::tables::{Field, Table};
use crate::rules::Track;

/// The section.
pub fn section(scene: &Scene<'_>) -> Section {
    let mut figures: Vec<Figure> = [cores(scene), memory(scene), size(scene)].into_iter().flatten().collect();
    figures.extend(maps(scene));
    let note = figures.is_empty().then(|| "Neither cores, nor sizes, nor memory were measured here.".into());
    Section { id: "scaling", title: "Cores, sizes and memory", figures, note }
}

fn bar(scene: &Scene<'_>, system: usize, value: Estimate, text: String, told: String) -> Bar {
    let name = scene.name(system);
    let tip = vec![name.clone(), told];
    Bar { name, family: scene.system(system).family, off: scene.is_off(system), value, text, tip }
}

/// One valid cell of each translator with its value, in the order of the charts.
fn figures_of(scene: &Scene<'_>, value: impl Fn(usize) -> Option<Estimate>) -> Vec<(usize, Estimate)> {
    let mut systems = scene.translators.clone();
    systems.sort_by_key(|&system| (scene.is_off(system), system));
    systems.into_iter().filter_map(|system| Some((system, value(system)?))).collect()
}

fn cores(scene: &Scene<'_>) -> Option<Figure> {
    let cell = |system, track| scene.cells(track).into_iter().find(|cell| cell.system == system);
    let cores =
        scene.cells(Track::ThroughputAll).iter().map(|cell| cell.cores).max().filter(|&cores| cores > 1)?;
    let gain = |system| {
        Some(cell(system, Track::ThroughputAll)?.speed?.over(&cell(system, Track::Throughput1)?.speed?))
    };
    let mut gains = figures_of(scene, gain);
    gains.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
    let times = |gain: &Estimate| factor(gain);
    let (most, least) = (times(&gains.first()?.1), times(&gains.last()?.1));
    let title = match (most == least, gains.as_slice()) {
        (_, [(only, _)]) => {
            format!("{} is {most} times as fast on {cores} cores as on one", scene.spoken(*only))
        }
        (true, _) => format!("All systems are about {most} times as fast on {cores} cores as on one"),
        (false, _) => format!("On {cores} cores systems are {least} to {most} times as fast as on one"),
    };
    let about =
        format!("Words per second on {cores} cores over those on one core, with the interval of the ratio.");
    let mut table = Table::new(
        "Speed on one core and on all",
        &["system", "#one core, words/s", "#all cores, words/s", "#times"],
    );
    for (system, gain) in &gains {
        let speed =
            |track| super::summary::estimate(cell(*system, track).and_then(|cell| cell.speed).as_ref());
        let fields = vec![
            Field::text(scene.name(*system)),
            speed(Track::Throughput1),
            speed(Track::ThroughputAll),
            super::summary::estimate(Some(gain)),
        ];
        table.push("", fields);
    }
    let bars = gains.iter().map(|(system, gain)| {
        // Two decimals: more would be noise to compare by.
        let text = format!("{:.2}", gain.value);
        bar(scene, *system, *gain, text.clone(), format!("{text} times as fast on {cores} cores"))
    });
    let chart = Bars {
        name: format!("times the speed of one core, on {cores}"),
        ideal: Some((cores as f64, format!("ideal: {cores}"))),
        bars: bars.collect(),
    };
    Some(Figure::of(&chart, &scene.id("cores"), title, about, table.aligned()))
}

fn memory(scene: &Scene<'_>) -> Option<Figure> {
    let peak = |system| Some(Estimate::exactly(super::summary::peak_mebibytes(scene, system)?));
    let all = ascending(figures_of(scene, peak));
    sizes(scene, &all, "peak-memory", "peak memory on one core in MiB", "peak MiB", "needs the least memory")
}

fn ascending(mut figures: Vec<(usize, Estimate)>) -> Vec<(usize, Estimate)> {
    figures.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
    figures
}

fn size(scene: &Scene<'_>) -> Option<Figure> {
    let valid =
        |system: usize, track| scene.cells(track).into_iter().find(|cell: &&Cell| cell.system == system);
    let bytes = |system: usize| Track::ALL.into_iter().find_map(|track| valid(system, track)?.model_bytes);
    let all = ascending(figures_of(scene, |system| Some(Estimate::exactly(mebibytes(bytes(system)?)))));
    sizes(
        scene,
        &all,
        "model-size",
        "bytes of the model's files in MiB",
        "model MiB",
        "has the smallest model",
    )
}

fn sizes(
    scene: &Scene<'_>,
    all: &[(usize, Estimate)],
    id: &str,
    axis: &str,
    head: &str,
    finding: &str,
) -> Option<Figure> {
    let (least, value) = all.iter().min_by(|a, b| a.1.value.total_cmp(&b.1.value))?;
    let title = match all.len() {
        1 => format!("{}: {} MiB", scene.spoken(*least), plain(value.value)),
        _ => format!("{} {finding}, {} MiB", scene.spoken(*least), plain(value.value)),
    };
    let mut table = Table::new(axis.to_owned(), &["system", &format!("#{head}")]);
    for (system, value) in all {
        table
            .push("", vec![Field::text(scene.name(*system)), Field::figure(plain(value.value), value.value)]);
    }
    let bars = all.iter().map(|(system, value)| {
        let text = plain(value.value);
        bar(scene, *system, *value, text.clone(), format!("{text} MiB"))
    });
    let chart = Bars { name: axis.into(), ideal: None, bars: bars.collect() };
    Some(Figure::of(&chart, &scene.id(id), title, format!("A bar a system: {axis}."), table.aligned()))
}

/// A system's setting, if it is a number.
fn number(system: &System, name: &str) -> Option<u32> {
    system.settings.iter().find(|(setting, _)| setting == name)?.1.parse().ok()
}

/// Whether two systems differ in beam and batch alone.
fn same_sweep(a: &System, b: &System) -> bool {
    let others = |system: &System| {
        let mut others: Vec<_> =
            system.settings.iter().filter(|(name, _)| name != "beam" && name != "batch").cloned().collect();
        others.sort();
        others
    };
    a.family == b.family && a.models == b.models && others(a) == others(b)
}

/// A map for each model whose beam and batch were swept.
fn maps(scene: &Scene<'_>) -> Vec<Figure> {
    let swept = scene.translators.iter().copied().filter(|&system| {
        let system = scene.system(system);
        number(system, "beam").is_some() && number(system, "batch").is_some()
    });
    let mut sweeps: Vec<Vec<usize>> = Vec::new();
    for system in swept {
        match sweeps.iter_mut().find(|sweep| same_sweep(scene.system(sweep[0]), scene.system(system))) {
            Some(sweep) => sweep.push(system),
            None => sweeps.push(vec![system]),
        }
    }
    sweeps.iter().enumerate().filter_map(|(i, sweep)| map(scene, i + 1, sweep)).collect()
}

fn map(scene: &Scene<'_>, number_of_map: usize, sweep: &[usize]) -> Option<Figure> {
    let values = |name| {
        let mut values: Vec<u32> =
            sweep.iter().filter_map(|&system| number(scene.system(system), name)).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let (beams, batches) = (values("beam"), values("batch"));
    if beams.len() < 2 || batches.len() < 2 {
        return None;
    }
    let speed =
        |system| scene.cells(Track::Throughput1).into_iter().find(|cell| cell.system == system)?.speed;
    let at = |beam, batch| {
        sweep.iter().copied().find(|&s| {
            number(scene.system(s), "beam") == Some(beam) && number(scene.system(s), "batch") == Some(batch)
        })
    };
    let field = |beam, batch| at(beam, batch).and_then(speed).map(|speed| (speed.value, supported(&speed)));
    let fields: Vec<Vec<_>> =
        beams.iter().map(|&beam| batches.iter().map(|&batch| field(beam, batch)).collect()).collect();
    let fastest = sweep
        .iter()
        .copied()
        .filter_map(|system| Some((system, speed(system)?)))
        .max_by(|a, b| a.1.value.total_cmp(&b.1.value))?;
    let texts = |values: &[u32]| values.iter().map(u32::to_string).collect::<Vec<_>>();
    let heads: Vec<String> =
        ["beam".into()].into_iter().chain(batches.iter().map(|batch| format!("#batch {batch}"))).collect();
    let mut table = Table::new(
        "Words per second on one core by beam and batch",
        &heads.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    for (beam, fields) in beams.iter().zip(&fields) {
        let figures = fields.iter().map(|field| {
            field.as_ref().map_or_else(Field::none, |(value, text)| Field::figure(text.clone(), *value))
        });
        table.push("", [Field::text(beam.to_string())].into_iter().chain(figures).collect());
    }
    let title = format!(
        "{} is the fastest of its sweep, at {} words/s on one core",
        scene.spoken(fastest.0),
        supported(&fastest.1)
    );
    let chart = Map {
        columns: ("batch".into(), texts(&batches)),
        rows: ("beam".into(), texts(&beams)),
        name: "words/s on one core".into(),
        fields,
    };
    let id = scene.id(&format!("beam-batch-{number_of_map}"));
    Some(Figure::of(
        &chart,
        &id,
        title,
        "Beam downwards, batch across; darker is faster.".into(),
        table.aligned(),
    ))
}
