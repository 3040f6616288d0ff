//! Section 7: all figures, the machine, the commands.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::context::{SetContext, class_of};
use crate::material::Material;
use crate::tables::{Field, Table};
use dyno_measure::{Host, Profile, Reason, Record, Track, Verdict};
use dyno_results::scores::Scale;
use dyno_results::summary::cell::MetricFigure;
use dyno_results::{CellSummary, Column, Run};
use dyno_stats::numbers::{mebibytes, plain};
use dyno_stats::{Standing, median_interval};

/// Figures of the full table, after system, track and metrics.
const FIGURES: [Column; 24] = [
    Column::Speed,
    Column::Steady,
    Column::Load,
    Column::FirstLine,
    Column::FirstLineP95,
    Column::FirstText,
    Column::Piece,
    Column::P50,
    Column::P95,
    Column::P99,
    Column::Start,
    Column::ColdStart,
    Column::Dollars,
    Column::ProRata,
    Column::Energy,
    Column::Cpu,
    Column::Model,
    Column::Peak,
    Column::Settled,
    Column::FirstToken,
    Column::TokensRead,
    Column::TokensWritten,
    Column::Weights,
    Column::Kept,
];

/// Columns before the metrics: names and settings.
const FIRST: [&str; 6] = ["system", "track", "precision", "#beam", "#limit", "#cores"];

/// All heads of a table with these metrics; `#` marks columns of figures.
fn heads(metrics: &[Scale]) -> Vec<String> {
    let metrics = metrics.iter().map(|scale| format!("#{}", scale.title));
    let figures = FIGURES.iter().map(|column| format!("#{}", column.head()));
    let last = &["#rounds", "frontier", "verdict"];
    let texts = |heads: &[&str]| heads.iter().copied().map(String::from).collect::<Vec<_>>();
    texts(&FIRST).into_iter().chain(metrics).chain(figures).chain(texts(last)).collect()
}

/// All cells of a test set.
pub fn table(context: &SetContext<'_>) -> Table {
    let mut table = Table::new("All cells", &heads(&context.set.metrics));
    let mut cells = context.set.cells.clone();
    cells.sort_by_key(|cell| (cell.track, cell.place));
    for cell in cells {
        table.push(class_of(cell.verdict, cell.standing), row(context, cell));
    }
    if let Some(figures) = context.material.summary.copied.get(&context.set.texts.name) {
        table.push("", copied(&context.set.metrics, figures, table.heads.len()));
    }
    table.without_empty_columns().aligned()
}

/// The source as its own translation: what each metric gives to no translation at all.
fn copied(metrics: &[Scale], figures: &[MetricFigure], columns: usize) -> Vec<Field> {
    let mut row = vec![Field::none(); columns];
    row[0] = Field::text("(the source itself)");
    for (column, scale) in metrics.iter().enumerate() {
        let own = figures.iter().find(|figure| figure.metric == scale.name).and_then(MetricFigure::estimate);
        row[FIRST.len() + column] = Field::quality(scale, own);
    }
    row
}

fn row(context: &SetContext<'_>, cell: &CellSummary) -> Vec<Field> {
    let number = |number: Option<usize>| Field::maybe(number, |number| number.to_string());
    let mut row = vec![
        Field::text(context.name(cell.place)),
        Field::text(cell.track.name()),
        Field::maybe(cell.precision.clone(), |precision| precision),
        number(cell.beam),
        number(cell.most_words),
        number(Some(cell.cores)),
    ];
    row.extend(qualities(&context.set.metrics, cell));
    row.extend(FIGURES.map(|column| Field::shown(column, cell, column.figure_on_page(cell))));
    row.push(number(Some(cell.rounds)));
    row.extend(judged(cell.standing, cell.verdict, cell.reasons.first()));
    row
}

/// Standing on the frontier, and verdict with its first reason.
pub fn judged(standing: Option<Standing>, verdict: Verdict, reason: Option<&Reason>) -> [Field; 2] {
    let standing = match standing {
        Some(Standing::Frontier) => "yes",
        Some(Standing::Probably) => "probably",
        _ => "",
    };
    let reason = reason.map(|reason| format!(" {}", reason.code.name())).unwrap_or_default();
    [Field::text(standing), Field::text(format!("{}{reason}", verdict.name()))]
}

/// Quality by each metric. The first one has half of its interval, and the lowest and highest round where the
/// rounds' texts differ.
fn qualities(metrics: &[Scale], cell: &CellSummary) -> Vec<Field> {
    let field = |(i, scale): (usize, &Scale)| {
        let own = cell.quality.get(i).and_then(MetricFigure::estimate);
        if i > 0 {
            return Field::maybe(own.map(|own| own.value), |score| scale.text(score, None));
        }
        let field = Field::quality(scale, own);
        let ends = cell.quality.first().and_then(|first| first.low.zip(first.high));
        let spread = ends.map(|(low, high)| {
            format!(" ({} to {} over rounds)", scale.text(low, None), scale.text(high, None))
        });
        Field { text: field.text.clone() + &spread.unwrap_or_default(), ..field }
    };
    metrics.iter().enumerate().map(field).collect()
}

/// Signatures of the metrics, each once, with the title of its metric.
pub fn signatures(run: &Run, test_set: &str) -> Vec<String> {
    let texts = run.scores.texts.get(test_set);
    let of = |scale: &Scale| {
        let quality = texts.into_iter().flatten().filter_map(|(_, metrics)| metrics.get(&scale.name));
        let told = quality.filter(|quality| !quality.signature.is_empty());
        told.map(|quality| format!("{} {}", scale.title, quality.signature)).collect::<BTreeSet<_>>()
    };
    run.scales().iter().flat_map(of).collect()
}

pub fn environment(material: &Material<'_>) -> Table {
    let mut table = Table::new("The machine and the run", &["what", "value"]);
    let lines = machine(&material.run.identity.host).into_iter().chain(measured(material));
    for (what, value) in lines.filter(|(_, value)| !value.is_empty()) {
        table.push("", [Field::text(what), Field::text(value)]);
    }
    table
}

fn machine(host: &Host) -> Vec<(&'static str, String)> {
    vec![
        ("processor", host.cpu.clone()),
        ("instruction sets", host.isa.join(", ")),
        ("cores", format!("{} ({})", host.cores.len(), listed(&host.cores))),
        ("NUMA nodes", numa(&host.numa_nodes)),
        ("caches", host.caches.join(", ")),
        ("memory", format!("{} GiB", plain(mebibytes(host.memory_bytes) / 1024.0))),
        ("kernel", host.kernel.clone()),
        ("control group", host.cgroup_limits.join("; ")),
    ]
}

/// The cores of each NUMA node; empty where all have the same memory.
fn numa(nodes: &[Vec<usize>]) -> String {
    let all: Vec<String> = nodes.iter().map(|cores| listed(cores)).collect();
    if all.len() > 1 { all.join(" | ") } else { String::new() }
}

fn listed(cores: &[usize]) -> String {
    cores.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
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
    texts.into_iter().map(|text| about(text)).collect::<Vec<_>>().join("; ")
}

/// Command of each system and track.
pub fn commands(material: &Material<'_>) -> Table {
    let mut table = Table::new("What was run", &["system", "track", "command"]);
    for system in &material.systems {
        for track in Track::ALL {
            let is_own = |record: &&Record| record.system == system.described.name && record.track == track;
            let Some(record) = material.run.records.iter().find(is_own) else { continue };
            let command: Vec<String> = record.command.iter().map(|argument| quoted(argument)).collect();
            let fields = [system.name.as_str(), track.name(), &command.join(" ")];
            table.push("", fields.map(Field::text));
        }
    }
    table
}

/// Parameters of a profile, for the methodology in brief.
pub fn protocol(profile: Profile) -> Value {
    let rounds: Vec<f64> = (0..profile.rounds()).map(|round| round as f64).collect();
    let coverage = median_interval(&rounds).map_or(0.0, |interval| 100.0 * interval.coverage);
    json!({
        "rounds": profile.rounds(),
        "coverage": format!("{} %", format!("{coverage:.1}").trim_end_matches(".0")),
        "warm_up": profile.warm_up_lines(),
        "throughput_seconds": profile.throughput_minimum_ns() / 1_000_000_000,
    })
}

/// An argument, quoted for a shell.
fn quoted(argument: &str) -> String {
    shlex::try_quote(argument).map_or_else(|_| argument.into(), Into::into)
}
