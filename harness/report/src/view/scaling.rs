//! Section 5: what more cores bring, beam × batch where they were swept, sizes and memory.

use super::{Scene, Section, summary, sweep};
use crate::charts::{Bar, Bars, Figure};
use crate::material::Cell;
use crate::tables::{Field, Table};
use dyno_measure::Track;
use dyno_stats::Estimate;
use dyno_stats::numbers::{factor, mebibytes, plain};

/// The section.
pub fn section(scene: &Scene<'_>) -> Section {
    let mut figures: Vec<Figure> = [cores(scene), memory(scene), size(scene)].into_iter().flatten().collect();
    figures.extend(sweep::maps(scene));
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
    let cores =
        scene.cells(Track::ThroughputAll).iter().map(|cell| cell.cores).max().filter(|&cores| cores > 1)?;
    let gain = |system| {
        Some(speed(scene, system, Track::ThroughputAll)?.over(&speed(scene, system, Track::Throughput1)?))
    };
    let mut gains = figures_of(scene, gain);
    gains.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
    let title = cores_title(scene, cores, &gains)?;
    let about =
        format!("Words per second on {cores} cores over those on one core, with the interval of the ratio.");
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
    Some(Figure::of(&chart, &scene.id("cores"), title, about, cores_table(scene, &gains)))
}

fn speed(scene: &Scene<'_>, system: usize, track: Track) -> Option<Estimate> {
    scene.cells(track).into_iter().find(|cell| cell.system == system)?.speed
}

/// The finding; `gains` are the greatest first.
fn cores_title(scene: &Scene<'_>, cores: usize, gains: &[(usize, Estimate)]) -> Option<String> {
    let (most, least) = (factor(&gains.first()?.1), factor(&gains.last()?.1));
    Some(match (most == least, gains) {
        (_, [(only, _)]) => {
            format!("{} is {most} times as fast on {cores} cores as on one", scene.spoken(*only))
        }
        (true, _) => format!("All systems are about {most} times as fast on {cores} cores as on one"),
        (false, _) => format!("On {cores} cores systems are {least} to {most} times as fast as on one"),
    })
}

fn cores_table(scene: &Scene<'_>, gains: &[(usize, Estimate)]) -> Table {
    let mut table = Table::new(
        "Speed on one core and on all",
        &["system", "#one core, words/s", "#all cores, words/s", "#times"],
    );
    for (system, gain) in gains {
        let speed = |track| summary::estimate(speed(scene, *system, track).as_ref());
        let fields = vec![
            Field::text(scene.name(*system)),
            speed(Track::Throughput1),
            speed(Track::ThroughputAll),
            summary::estimate(Some(gain)),
        ];
        table.push("", fields);
    }
    table.aligned()
}

fn memory(scene: &Scene<'_>) -> Option<Figure> {
    let peak = |system| Some(Estimate::exactly(summary::peak_mebibytes(scene, system)?));
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
