//! Section 7: every figure, the machine, the commands.

use serde::Serialize;

use super::summary::{estimate, quality};
use super::{Scene, row_class};
use crate::campaign::{Profile, Track};
use crate::report::material::{Cell, Material};
use crate::report::numbers::{mebibytes, plain};
use crate::report::tables::{Field, Table};
use crate::verify::Verdict;

const HEADS: [&str; 17] = [
    "system",
    "track",
    "#BLEU",
    "#chrF",
    "#words/s",
    "#steady",
    "#load %",
    "#p50 ms",
    "#p95 ms",
    "#p99 ms",
    "#start ms",
    "#Mwords/$",
    "#model MiB",
    "#peak MiB",
    "#rounds",
    "frontier",
    "verdict",
];

/// All cells of a test set.
pub fn table(scene: &Scene<'_>) -> Table {
    let mut table = Table::new("All cells", &HEADS);
    let mut cells: Vec<&Cell> = scene.set.cells.iter().collect();
    cells.sort_by_key(|cell| (cell.track, cell.system));
    for cell in cells {
        let standing = scene.contest.as_ref().and_then(|contest| contest.standing(cell.system));
        let invalid = cell.verdict == Verdict::Invalid;
        table.push(if invalid { "invalid" } else { row_class(standing) }, row(scene, cell));
    }
    table.without_empty_columns().aligned()
}

fn row(scene: &Scene<'_>, cell: &Cell) -> Vec<Field> {
    let dollars = cell.words_per_dollar.map(|words| words.times(1e-6));
    let standing = scene.contest.as_ref().and_then(|contest| contest.standing(cell.system));
    let verdict = match cell.reasons.first() {
        Some(reason) => format!("{} {}", cell.verdict.name(), reason.code.name()),
        None => cell.verdict.name().into(),
    };
    vec![
        Field::text(scene.name(cell.system)),
        Field::text(cell.track.name()),
        quality(cell.bleu.as_ref()),
        Field::maybe(cell.chrf, |chrf| format!("{chrf:.1}")),
        estimate(cell.speed.as_ref()),
        Field::maybe(cell.steady, plain),
        Field::maybe(cell.load_share, |share| {
            if share > 0.99 { ">99".into() } else { format!("{:.0}", share * 100.0) }
        }),
        estimate(cell.percentiles_ms[0].as_ref()),
        estimate(cell.percentiles_ms[2].as_ref()),
        estimate(cell.percentiles_ms[3].as_ref()),
        Field::maybe(cell.start_ms, plain),
        estimate(dollars.as_ref()),
        Field::maybe(cell.model_bytes.map(mebibytes), plain),
        Field::maybe(cell.peak_bytes.map(mebibytes), plain),
        Field::figure(cell.rounds.to_string(), cell.rounds as f64),
        Field::text(match standing {
            Some(crate::stats::Standing::Frontier) => "yes",
            Some(crate::stats::Standing::Probably) => "probably",
            _ => "",
        }),
        Field::text(verdict),
    ]
}

/// The same as CSV, all test sets below each other. A cell never looks like a spreadsheet's formula.
pub fn csv(scenes: &[Scene<'_>]) -> String {
    let mut text =
        format!("test set,{}\r\n", HEADS.map(|head| head.trim_start_matches('#').to_owned()).join(","));
    for scene in scenes {
        for cell in &scene.set.cells {
            let row = row(scene, cell);
            let fields = row
                .iter()
                .map(|field| field.value.map_or_else(|| csv_text(&field.text), |value| value.to_string()));
            let fields: Vec<String> = [csv_text(&scene.set.name)].into_iter().chain(fields).collect();
            text += &(fields.join(",") + "\r\n");
        }
    }
    text
}

fn csv_text(text: &str) -> String {
    let text = if text == "–" { "" } else { text };
    let guarded =
        if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.into() };
    if guarded.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", guarded.replace('"', "\"\""))
    } else {
        guarded
    }
}

/// The host in a line.
pub fn host_line(material: &Material) -> String {
    let host = &material.host;
    let cores = super::super::words::counted(host.cores.len(), "core", "cores");
    format!("{}, {cores}, {}", host.cpu, host.best_isa())
}

/// The machine and the run.
pub fn environment(material: &Material) -> Table {
    let host = &material.host;
    let mut table = Table::new("The machine and the run", &["what", "value"]);
    let mut line = |what: &str, value: String| {
        if !value.is_empty() {
            table.push("", vec![Field::text(what), Field::text(value)]);
        }
    };
    line("processor", host.cpu.clone());
    line("instruction sets", host.isa.join(", "));
    line(
        "cores",
        format!(
            "{} ({})",
            host.cores.len(),
            host.cores.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
        ),
    );
    line("caches", host.caches.join(", "));
    line("memory", format!("{} GiB", plain(mebibytes(host.memory_bytes) / 1024.0)));
    line("kernel", host.kernel.clone());
    line("control group", host.cgroup_limits.join("; "));
    if let Some(price) = &material.price {
        let (name, usd) = (format!("{} {}", price.provider, price.instance), price.hourly_usd);
        let terms = format!("{}, {}, {} vCPUs, {}", price.region, price.terms, price.vcpus, price.date);
        line("price", format!("{name}: {usd} US dollars an hour ({terms}; {})", price.source));
    }
    if let Some(floor) = material.pipe_floor_us {
        line(
            "pipe floor",
            format!(
                "{} µs for a line between two processes that do nothing else; not subtracted",
                plain(floor)
            ),
        );
    }
    line("run", format!("{}-{}", material.campaign, material.key));
    for set in &material.sets {
        line("test set", format!("{}, sha256 {}", set.name, set.sha256));
    }
    table
}

/// The command of each system and track, once each.
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

/// An argument as a shell would have to be given it.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.into()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

/// The profile's figures, for the methodology in brief.
#[derive(Debug, Serialize)]
pub struct Protocol {
    rounds: usize,
    coverage: &'static str,
    warm_up: usize,
    throughput_seconds: u64,
    tracks: Vec<&'static str>,
}

impl Protocol {
    /// Of a profile.
    pub fn of(profile: Profile) -> Self {
        // Binomial, p = ½: of 3 and 5 rounds from the least to the greatest, of 9 from the second to the eighth.
        let coverage = match profile {
            Profile::Quick => "75 %",
            Profile::Standard => "93.8 %",
            Profile::Official => "96.1 %",
        };
        Self {
            rounds: profile.rounds(),
            coverage,
            warm_up: profile.warm_up_lines(),
            throughput_seconds: profile.throughput_minimum_ns() / 1_000_000_000,
            tracks: Track::ALL.map(Track::name).into(),
        }
    }
}

/// The day of a time in seconds since 1970, UTC. (Days to a civil date: H. Hinnant, "chrono-Compatible Low-Level
/// Date Algorithms", `civil_from_days`; eras of 400 years that begin in March, so that leap days come last.)
pub fn day(seconds: u64) -> String {
    let days = (seconds / 86_400) as i64 + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_795_245_201, "2026-11-21"),
            (4_107_542_399, "2100-02-28"),
        ] {
            assert_eq!(day(seconds), text);
        }
    }

    #[test]
    fn csv_has_neither_formulas_nor_torn_cells() {
        assert_eq!(csv_text("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
        assert_eq!(csv_text("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(csv_text("–"), "");
    }

    #[test]
    fn commands_can_be_pasted_into_a_shell() {
        assert_eq!(quoted("--model=a/b"), "--model=a/b");
        assert_eq!(quoted("it's; rm"), r"'it'\''s; rm'");
        assert_eq!(quoted(""), "''");
    }
}
