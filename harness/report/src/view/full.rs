//! Section 7: all figures, the machine, the commands.

use serde::Serialize;

use super::context::{SetContext, class_of};
use super::summary::quality;
use crate::material::{Cell, Material};
use crate::tables::{Field, Table};
use dyno_measure::Host;
use dyno_measure::Profile;
use dyno_measure::{Reason, Track, Verdict};
use dyno_results::scores::Scale;
use dyno_results::{Column, unlike_a_formula};
use dyno_stats::numbers::{counted, mebibytes, plain};
use dyno_stats::{Standing, median_interval};

/// Figures of the full table, after system, track and metrics.
const FIGURES: [Column; 12] = [
    Column::Speed,
    Column::Steady,
    Column::Load,
    Column::P50,
    Column::P95,
    Column::P99,
    Column::Start,
    Column::Dollars,
    Column::ProRata,
    Column::Energy,
    Column::Model,
    Column::Peak,
];

/// All heads of a table with these metrics; `#` marks columns of figures.
fn heads(metrics: &[Scale]) -> Vec<String> {
    let metrics = metrics.iter().map(|scale| format!("#{}", scale.title));
    let figures = FIGURES.iter().map(|column| format!("#{}", column.head()));
    let [first, last] = [&["system", "track"][..], &["#rounds", "frontier", "verdict"]];
    let texts = |heads: &[&str]| heads.iter().copied().map(String::from).collect::<Vec<_>>();
    texts(first).into_iter().chain(metrics).chain(figures).chain(texts(last)).collect()
}

/// All cells of a test set.
pub fn table(context: &SetContext<'_>) -> Table {
    let heads = heads(&context.set.metrics);
    let mut table = Table::new("All cells", &heads.iter().map(String::as_str).collect::<Vec<_>>());
    let mut cells: Vec<&Cell> = context.set.cells.iter().collect();
    cells.sort_by_key(|cell| (cell.track, cell.system));
    for cell in cells {
        table.push(class_of(cell.verdict, cell.standing), row(context, cell));
    }
    table.without_empty_columns().aligned()
}

fn row(context: &SetContext<'_>, cell: &Cell) -> Vec<Field> {
    let mut row = vec![Field::text(context.name(cell.system)), Field::text(cell.track.name())];
    row.extend(qualities(&context.set.metrics, cell));
    row.extend(FIGURES.map(|column| Field::shown(column, &cell.row, cell.figure(column))));
    row.push(Field::figure(cell.row.rounds.to_string(), cell.row.rounds as f64));
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
fn qualities(metrics: &[Scale], cell: &Cell) -> Vec<Field> {
    let field = |(i, scale): (usize, &Scale)| {
        let own = cell.quality.get(i).and_then(Option::as_ref);
        if i > 0 {
            return Field::maybe(own.map(|own| own.value), |score| scale.text(score, None));
        }
        let field = quality(scale, own);
        let ends = cell.row.quality.first().and_then(|first| first.low.zip(first.high));
        let spread = ends.map(|(low, high)| {
            format!(" ({} to {} over rounds)", scale.text(low, None), scale.text(high, None))
        });
        Field { text: field.text.clone() + &spread.unwrap_or_default(), ..field }
    };
    metrics.iter().enumerate().map(field).collect()
}

/// All cells as CSV, test sets below each other. No field looks like a spreadsheet's formula.
pub fn csv(contexts: &[SetContext<'_>]) -> String {
    let metrics = contexts.first().map_or(&[][..], |context| &context.set.metrics);
    let heads: Vec<String> =
        heads(metrics).iter().map(|head| csv_text(head.trim_start_matches('#'))).collect();
    let mut text = format!("test set,{}\r\n", heads.join(","));
    for context in contexts {
        for cell in &context.set.cells {
            let row = row(context, cell);
            let fields = row
                .iter()
                .map(|field| field.value.map_or_else(|| csv_text(&field.text), |value| value.to_string()));
            let fields: Vec<String> = [csv_text(&context.set.name)].into_iter().chain(fields).collect();
            text += &(fields.join(",") + "\r\n");
        }
    }
    text
}

fn csv_text(text: &str) -> String {
    let text = if text == "–" { "" } else { text };
    let guarded = unlike_a_formula(text.into());
    if guarded.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", guarded.replace('"', "\"\""))
    } else {
        guarded
    }
}

/// The host in a line.
pub fn host_line(material: &Material) -> String {
    let host = &material.host;
    let cores = counted(host.cores.len(), "core", "cores");
    format!("{}, {cores}, {}", host.cpu, host.best_isa())
}

/// The machine and the run.
pub fn environment(material: &Material) -> Table {
    let mut table = Table::new("The machine and the run", &["what", "value"]);
    let lines = machine(&material.host).into_iter().chain(measured(material));
    for (what, value) in lines.filter(|(_, value)| !value.is_empty()) {
        table.push("", vec![Field::text(what), Field::text(value)]);
    }
    table
}

fn machine(host: &Host) -> Vec<(&'static str, String)> {
    let cores = host.cores.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    vec![
        ("processor", host.cpu.clone()),
        ("instruction sets", host.isa.join(", ")),
        ("cores", format!("{} ({cores})", host.cores.len())),
        ("caches", host.caches.join(", ")),
        ("memory", format!("{} GiB", plain(mebibytes(host.memory_bytes) / 1024.0))),
        ("kernel", host.kernel.clone()),
        ("control group", host.cgroup_limits.join("; ")),
    ]
}

fn measured(material: &Material) -> Vec<(&'static str, String)> {
    let price = material.price.as_ref().map(|price| {
        let (name, usd) = (format!("{} {}", price.provider, price.instance), price.hourly_usd);
        let terms = format!("{}, {}, {} vCPUs, {}", price.region, price.terms, price.vcpus, price.date);
        format!("{name}: {usd} US dollars an hour ({terms}; {})", price.source)
    });
    let floor = material.pipe_floor_us.map(|us| {
        format!("{} µs for a line between two processes that do nothing else; not subtracted", plain(us))
    });
    let networks = material.networks.iter().map(|told| match told.as_str() {
        "isolated" => "systems had a loopback device alone",
        shared => shared,
    });
    let sandboxes = material.sandboxes.iter().map(|told| match told.as_str() {
        "bwrap" => "bwrap: foreign systems saw neither records nor references".to_owned(),
        fault => format!("none ({fault}): foreign systems could read records and references"),
    });
    let sets = material.sets.iter().map(|set| ("test set", format!("{}, sha256 {}", set.name, set.sha256)));
    let run = [
        ("price", price.unwrap_or_default()),
        ("pipe floor", floor.unwrap_or_default()),
        ("network", networks.collect::<Vec<_>>().join("; ")),
        ("sandbox", sandboxes.collect::<Vec<_>>().join("; ")),
        ("run", format!("{}-{}", material.campaign, material.key)),
    ];
    run.into_iter().chain(sets).collect()
}

/// Command of each system and track.
pub fn commands(material: &Material) -> Table {
    let mut table = Table::new("What was run", &["system", "track", "command"]);
    for system in &material.systems {
        for (track, command) in &system.commands {
            let command: Vec<String> = command.iter().map(|argument| quoted(argument)).collect();
            table.push(
                "",
                vec![Field::text(&system.name), Field::text(track.name()), Field::text(command.join(" "))],
            );
        }
    }
    table
}

/// Parameters of a profile, for the methodology in brief.
#[derive(Debug, Serialize)]
pub struct Protocol {
    rounds: usize,
    coverage: String,
    warm_up: usize,
    throughput_seconds: u64,
    tracks: Vec<&'static str>,
}

impl Protocol {
    /// The parameters of `profile`.
    pub fn of(profile: Profile) -> Self {
        let rounds: Vec<f64> = (0..profile.rounds()).map(|round| round as f64).collect();
        let coverage = median_interval(&rounds).map_or(0.0, |interval| 100.0 * interval.coverage);
        Self {
            rounds: profile.rounds(),
            coverage: format!("{} %", format!("{coverage:.1}").trim_end_matches(".0")),
            warm_up: profile.warm_up_lines(),
            throughput_seconds: profile.throughput_minimum_ns() / 1_000_000_000,
            tracks: Track::ALL.map(Track::name).into(),
        }
    }
}

/// An argument, quoted for a shell.
fn quoted(argument: &str) -> String {
    shlex::try_quote(argument).map_or_else(|_| argument.into(), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_has_neither_formulas_nor_torn_cells() {
        assert_eq!(csv_text("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
        assert_eq!(csv_text("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(csv_text("–"), "");
    }
}
