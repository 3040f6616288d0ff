//! Section 7: all figures, the machine, the commands.

use std::collections::BTreeSet;

use itertools::Itertools;
use serde_json::{Value, json};

use super::context::{SetContext, class_of};
use crate::material::Material;
use crate::tables::{Field, Table};
use dyno_record::{Host, Profile, Reason, Record, Track, Verdict};
use dyno_results::scores::Scale;
use dyno_results::summary::cell::MetricFigure;
use dyno_results::{CellSummary, Column, Run};
use dyno_stats::numbers::{mebibytes, plain};
use dyno_stats::{Standing, median_coverage};

/// Figures of the full table, after system, track and metrics. The greatest rate stands in the server's own table.
fn figures() -> impl Iterator<Item = Column> {
    Column::ALL.into_iter().filter(|column| *column != Column::Rate)
}

/// Number of columns before the metrics: names and settings.
const FIRST: usize = 6;

/// All cells of a test set.
pub fn table(context: &SetContext<'_>) -> Table {
    let (set, number) =
        (context.set, |number: Option<usize>| Field::maybe(number, |number| number.to_string()));
    let mut cells = set.cells.clone();
    cells.sort_by_key(|cell| (cell.track, cell.place));
    let mut table = Table::of("All cells", cells)
        .classed(|cell| class_of(cell.verdict, cell.standing))
        .column("system", |cell| Field::text(context.name(cell.place)))
        .column("track", |cell| Field::text(cell.track.name()))
        .column("precision", |cell| Field::maybe(cell.precision.clone(), |precision| precision))
        .column("#beam", |cell| number(cell.beam))
        .column("#limit", |cell| number(cell.most_words))
        .column("#cores", |cell| number(Some(cell.cores)))
        .columns(
            set.metrics.iter().enumerate(),
            |(_, scale)| format!("#{}", scale.title),
            |(i, scale), cell| quality(*i, scale, cell),
        )
        .columns(
            figures(),
            |column| format!("#{}", column.head()),
            |column, cell| Field::shown(*column, cell, column.figure_on_page(cell)),
        )
        .column("#rounds", |cell| number(Some(cell.rounds)))
        .column("frontier", |cell| on_frontier(cell.standing))
        .column("verdict", |cell| with_reason(cell.verdict, cell.reasons.first()))
        .table();
    if let Some(figures) = context.material.summary.copied.get(&set.texts.name) {
        table.push("", copied(&set.metrics, figures, table.heads.len()));
    }
    table.without_empty_columns().aligned()
}

/// The source as its own translation: what each metric gives to no translation at all.
fn copied(metrics: &[Scale], figures: &[MetricFigure], columns: usize) -> Vec<Field> {
    let mut row = vec![Field::none(); columns];
    row[0] = Field::text("(the source itself)");
    for (column, scale) in metrics.iter().enumerate() {
        let own = figures.iter().find(|figure| figure.metric == scale.name).and_then(MetricFigure::estimate);
        row[FIRST + column] = Field::quality(scale, own);
    }
    row
}

/// Whether a system stands on the frontier.
pub fn on_frontier(standing: Option<Standing>) -> Field {
    Field::text(match standing {
        Some(Standing::Frontier) => "yes",
        Some(Standing::Probably) => "probably",
        _ => "",
    })
}

/// A verdict with its first reason.
pub fn with_reason(verdict: Verdict, reason: Option<&Reason>) -> Field {
    let reason = reason.map(|reason| format!(" {}", reason.code.name())).unwrap_or_default();
    Field::text(format!("{}{reason}", verdict.name()))
}

/// Quality by the metric of that index. The first one has half of its interval, and the lowest and highest round where
/// the rounds' texts differ.
fn quality(i: usize, scale: &Scale, cell: &CellSummary) -> Field {
    let own = cell.quality.get(i).and_then(MetricFigure::estimate);
    if i > 0 {
        return Field::maybe(own.map(|own| own.value), |score| scale.text(score, None));
    }
    let field = Field::quality(scale, own);
    let ends = cell.quality.first().and_then(|first| first.low.zip(first.high));
    let spread = ends
        .map(|(low, high)| format!(" ({} to {} over rounds)", scale.text(low, None), scale.text(high, None)));
    Field { text: field.text.clone() + &spread.unwrap_or_default(), ..field }
}

/// Signatures of the metrics, each once, with the title of its metric.
pub fn signatures(run: &Run, test_set: &str) -> Vec<String> {
    let of = |scale: &Scale| {
        let texts = run.scores.texts.iter().filter(|([set, _], _)| set == test_set);
        let quality = texts.filter_map(|(_, metrics)| metrics.get(&scale.name));
        let told = quality.filter(|quality| !quality.signature.is_empty());
        told.map(|quality| format!("{} {}", scale.title, quality.signature)).collect::<BTreeSet<_>>()
    };
    run.scales().iter().flat_map(of).collect()
}

pub fn environment(material: &Material<'_>) -> Table {
    let lines = machine(&material.run.identity.host).into_iter().chain(measured(material));
    Table::of("The machine and the run", lines.filter(|(_, value)| !value.is_empty()))
        .column("what", |(what, _)| Field::text(*what))
        .column("value", |(_, value)| Field::text(value))
        .table()
}

fn machine(host: &Host) -> Vec<(&'static str, String)> {
    vec![
        ("processor", host.cpu.clone()),
        ("instruction sets", host.isa.join(", ")),
        ("cores", format!("{} ({})", host.cores.len(), host.cores.iter().join(", "))),
        ("NUMA nodes", numa(&host.numa_nodes)),
        ("caches", host.caches.join(", ")),
        ("memory", format!("{} GiB", plain(mebibytes(host.memory_bytes) / 1024.0))),
        ("kernel", host.kernel.clone()),
        ("control group", host.cgroup_limits.join("; ")),
    ]
}

/// The cores of each NUMA node; empty where all have the same memory.
fn numa(nodes: &[Vec<usize>]) -> String {
    let all: Vec<String> = nodes.iter().map(|cores| cores.iter().join(", ")).collect();
    if all.len() > 1 { all.join(" | ") } else { String::new() }
}

fn measured(Material { run, summary, .. }: &Material<'_>) -> Vec<(&'static str, String)> {
    let price = summary.price.as_ref().map(|price| {
        let (name, usd) = (format!("{} {}", price.provider, price.instance), price.hourly_usd);
        let terms = format!("{}, {}, {} vCPUs, {}", price.region, price.terms, price.vcpus, price.date);
        format!("{name}: {usd} US dollars an hour ({terms}; {})", price.source)
    });
    let floor = run.pipe_floor_us().map(|us| {
        format!("{} µs for a line between two processes that do nothing else; not subtracted", plain(us))
    });
    let network = |found: &str| match found {
        "isolated" => "systems had a loopback device alone".into(),
        shared => shared.into(),
    };
    let sandbox = |found: &str| match found {
        "bwrap" => "bwrap: foreign systems saw neither records nor references".into(),
        fault => format!("none ({fault}): foreign systems could read records and references"),
    };
    let sets = run.test_sets.iter().map(|set| ("test set", format!("{}, sha256 {}", set.name, set.sha256)));
    let run = [
        ("price", price.unwrap_or_default()),
        ("pipe floor", floor.unwrap_or_default()),
        ("network", distinct(run, |record| record.network.as_ref(), network)),
        ("sandbox", distinct(run, |record| record.sandbox.as_ref(), sandbox)),
        ("run", format!("{}-{}", run.identity.campaign, run.identity.key)),
    ];
    run.into_iter().chain(sets).collect()
}

/// Different texts that `of` finds in the records, each in a sentence.
fn distinct(run: &Run, of: impl Fn(&Record) -> Option<&String>, about: impl Fn(&str) -> String) -> String {
    let texts: BTreeSet<&String> = run.records.iter().filter_map(of).collect();
    texts.into_iter().map(|text| about(text)).join("; ")
}

/// Command of each system and track.
pub fn commands(material: &Material<'_>) -> Table {
    let mut table = Table::new("What was run", &["system", "track", "command"]);
    for system in &material.systems {
        for track in Track::ALL {
            let is_own = |record: &&Record| record.system == system.described.name && record.track == track;
            let Some(record) = material.run.records.iter().find(is_own) else { continue };
            let command = shlex::try_join(record.command.iter().map(String::as_str));
            let command = command.unwrap_or_else(|_| record.command.join(" "));
            table.push("", [system.name.as_str(), track.name(), &command].map(Field::text));
        }
    }
    table
}

/// Parameters of a profile, for the methodology in brief.
pub fn protocol(profile: Profile) -> Value {
    let coverage = 100.0 * median_coverage(profile.rounds());
    json!({
        "rounds": profile.rounds(),
        "coverage": format!("{} %", format!("{coverage:.1}").trim_end_matches(".0")),
        "warm_up": profile.warm_up_lines(),
        "throughput_seconds": profile.throughput_minimum_ns() / 1_000_000_000,
    })
}
