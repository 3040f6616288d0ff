//! Section 5: gain of more cores, memory, sizes of models, and what sweeps of cores, batches and beams show.

use super::context::{Section, SetContext};
use super::{summary, sweeps};
use crate::charts::{Bar, Bars, Figure};
use crate::tables::{Field, Table};
use dyno_record::{Exchange, Track, Verdict};
use dyno_stats::Estimate;
use dyno_stats::numbers::{factor, mebibytes, plain};

pub fn section(context: &SetContext<'_>) -> Section {
    let several = || Track::ALL.into_iter().filter(|track| track.has_several_cores());
    let mut figures: Vec<Figure> = several().filter_map(|track| cores(context, track)).collect();
    figures.extend(several().filter_map(|track| sweeps::over_cores(context, track)));
    figures.extend([memory(context), size(context)].into_iter().flatten());
    figures.extend(sweeps::over_batches(context));
    figures.extend(sweeps::maps(context));
    let note = figures.is_empty().then(|| "Neither cores, nor sizes, nor memory were measured here.".into());
    Section { id: "scaling", title: "Cores, sizes and memory", figures, tables: Vec::new(), note }
}

fn bar(context: &SetContext<'_>, system: usize, value: Estimate, text: String, told: String) -> Bar {
    let name = context.name(system);
    let tip = vec![name.clone(), told];
    Bar { name, colour: context.colour(system), value, text, tip }
}

/// Value of each translator that has one, in the order of the charts.
fn figures_of(context: &SetContext<'_>, value: impl Fn(usize) -> Option<Estimate>) -> Vec<(usize, Estimate)> {
    let mut systems = context.translators.clone();
    systems.sort_by_key(|&system| (context.is_off(system), system));
    systems.into_iter().filter_map(|system| Some((system, value(system)?))).collect()
}

/// Gain of all cores over one, by whole files or line by line.
fn cores(context: &SetContext<'_>, all: Track) -> Option<Figure> {
    let cores = context.cells(all).iter().map(|cell| cell.cores).max().filter(|&cores| cores > 1)?;
    // Lines that arrive at random on all cores are not to be compared with whole files on one.
    let one = all.on_one_core()?;
    let (id, way) = match all.exchange() {
        Exchange::Lines => ("cores-of-a-line", ", line by line"),
        Exchange::Pages => ("cores-of-a-page", ", page by page"),
        Exchange::File | Exchange::Arrivals => ("cores", ""),
    };
    let gain = |system| Some(speed(context, system, all)?.over(&speed(context, system, one)?));
    let mut gains = figures_of(context, gain);
    gains.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
    let noisy = |system: usize| [one, all].into_iter().any(|track| is_noisy(context, system, track));
    let title = cores_title(context, cores, &gains, noisy)? + way;
    let about = format!(
        "Words per second on {cores} cores over those on one core{way}, with the interval of the ratio."
    );
    let bars = gains.iter().map(|(system, gain)| {
        // More than two decimals would be noise.
        let text = format!("{:.2}", gain.value);
        let doubt = if noisy(*system) { ", in NOISY rounds" } else { "" };
        bar(context, *system, *gain, text.clone(), format!("{text} times as fast on {cores} cores{doubt}"))
    });
    let chart = Bars {
        name: format!("times the speed of one core, on {cores}{way}"),
        ideal: Some((cores as f64, format!("ideal: {cores}"))),
        bars: bars.collect(),
    };
    Some(Figure::of(&chart, &context.id(id), title, about, cores_table(context, &gains, [one, all])))
}

fn speed(context: &SetContext<'_>, system: usize, track: Track) -> Option<Estimate> {
    context.cell(system, track)?.speed()
}

fn is_noisy(context: &SetContext<'_>, system: usize, track: Track) -> bool {
    context.cell(system, track).is_some_and(|cell| cell.verdict == Verdict::Noisy)
}

/// Finding on cores; `gains` begin with the greatest. A gain of disturbed rounds finds nothing: the one core may
/// have been shared with other work.
fn cores_title(
    context: &SetContext<'_>,
    cores: usize,
    gains: &[(usize, Estimate)],
    noisy: impl Fn(usize) -> bool,
) -> Option<String> {
    let sound: Vec<_> = gains.iter().filter(|(system, _)| !noisy(*system)).collect();
    let (Some(most), Some(least)) = (sound.first(), sound.last()) else {
        let disturbed = || format!("The host disturbed what {cores} cores gain over one: NOISY");
        return (!gains.is_empty()).then(disturbed);
    };
    let (most, least) = (factor(&most.1), factor(&least.1));
    Some(match (most == least, &sound[..]) {
        (_, [(only, _)]) => {
            format!("{} is {most} times as fast on {cores} cores as on one", context.spoken(*only))
        }
        (true, _) => format!("All systems are about {most} times as fast on {cores} cores as on one"),
        (false, _) => format!("On {cores} cores systems are {least} to {most} times as fast as on one"),
    })
}

fn cores_table(context: &SetContext<'_>, gains: &[(usize, Estimate)], [one, all]: [Track; 2]) -> Table {
    Table::of("Speed on one core and on all", gains)
        .column("system", |(system, _)| Field::text(context.name(*system)))
        .column("#one core, words/s", |(system, _)| Field::estimate(speed(context, *system, one)))
        .column("#all cores, words/s", |(system, _)| Field::estimate(speed(context, *system, all)))
        .column("#times", |(_, gain)| Field::estimate(Some(*gain)))
        .aligned()
}

fn memory(context: &SetContext<'_>) -> Option<Figure> {
    let texts = ["peak-memory", "peak memory on one core in MiB", "peak MiB", "needs the least memory"];
    sizes(context, texts, |system| summary::peak_mebibytes(context, system), |_| "")
}

fn size(context: &SetContext<'_>) -> Option<Figure> {
    let texts = ["model-size", "bytes of the model's files in MiB", "model MiB", "has the smallest model"];
    let sized = |system: usize| {
        let mut cells = Track::ALL.into_iter().filter_map(|track| context.cell(system, track));
        cells.find(|cell| cell.model_bytes.is_some())
    };
    let mark = |system| if sized(system).is_some_and(|cell| cell.model_declared) { " declared" } else { "" };
    sizes(context, texts, |system| sized(system)?.model_bytes.map(mebibytes), mark)
}

/// A bar for the size of each system, the least first. The texts are the id, the axis, the head of the column, and what
/// the least is.
fn sizes(
    context: &SetContext<'_>,
    [id, axis, head, finding]: [&str; 4],
    mebibytes: impl Fn(usize) -> Option<f64>,
    mark: impl Fn(usize) -> &'static str,
) -> Option<Figure> {
    let mut all = figures_of(context, |system| mebibytes(system).map(Estimate::exactly));
    all.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
    let (least, value) = all.first()?;
    let size = format!("{} MiB{}", plain(value.value), mark(*least));
    let title = match all.len() {
        1 => format!("{}: {size}", context.spoken(*least)),
        _ => format!("{} {finding}, {size}", context.spoken(*least)),
    };
    let table = Table::of(axis, &all)
        .column("system", |(system, _)| Field::text(context.name(*system)))
        .column(format!("#{head}"), |(system, value)| Field::text(plain(value.value) + mark(*system)))
        .aligned();
    let bars = all.iter().map(|(system, value)| {
        let text = plain(value.value);
        bar(context, *system, *value, text.clone() + mark(*system), format!("{text} MiB{}", mark(*system)))
    });
    let chart = Bars { name: axis.into(), ideal: None, bars: bars.collect() };
    Some(Figure::of(&chart, &context.id(id), title, format!("A bar a system: {axis}."), table))
}
