//! The leaderboard: a static page over many published runs, as an organiser would put on the web.

use dyno_record::{Track, Verdict};
use dyno_results::{CellSummary, Column, Run, Summary};
use dyno_stats::Standing;
use dyno_stats::numbers::counted;
use itertools::Itertools;
use serde_json::{Value, json};

use crate::page::{Result, document};
use crate::tables::{Field, Table};
use crate::view::class_of;
use dyno_results::contest::Cost;

const TEMPLATE: &str = include_str!("../../../templates/leaderboard.html");

/// A run on the leaderboard, by its name and that of its host.
#[allow(missing_docs)] // the names say it
pub struct Entry {
    pub name: String,
    pub host: String,
    /// Path of the run's report from the page, if there is one.
    pub report: Option<String>,
    pub run: Run,
    pub summary: Summary,
}

/// The page.
pub fn page(title: &str, entries: &[Entry]) -> Result<String> {
    let sets = entries.iter().flat_map(|entry| &entry.run.test_sets);
    let tasks = sets.map(|set| (&set.name, &set.sha256)).unique();
    let task = |(i, (name, sha256)): (usize, (&String, &String))| task(i + 1, name, sha256, entries);
    let page = json!({
        "title": title,
        "about": counted(entries.len(), "run", "runs"),
        "version": env!("CARGO_PKG_VERSION"),
        "tasks": tasks.enumerate().map(task).collect::<Vec<_>>(),
    });
    document("leaderboard.html", TEMPLATE, &page)
}

/// Runs of one task: a test set, by name and content.
fn task(number: usize, name: &str, sha256: &str, entries: &[Entry]) -> Value {
    let own: Vec<&Entry> =
        entries.iter().filter(|entry| entry.run.test_sets.iter().any(|set| set.sha256 == sha256)).collect();
    let scale = own.iter().map(|entry| entry.run.first_scale(name)).next();
    let title = scale.as_ref().map_or("", |scale| scale.title.as_str());
    let quality = format!("#{title}");
    let [first, last] = [&["system", "host", &quality][..], &["profile", "date", "verdict", "run"]];
    let peak = format!("#{}", Column::Peak.head());
    let heads = [first, &costs().map(|cost| cost.words().head).collect::<Vec<_>>(), &[&peak], last].concat();
    let mut table = Table::new(format!("Systems on {name}"), &heads);
    for entry in &own {
        for system in entry.run.systems() {
            if let Some((class, fields)) = row(entry, name, system, title) {
                table.push(class, fields);
            }
        }
    }
    let lines = own.iter().flat_map(|entry| &entry.run.test_sets).find(|set| set.sha256 == sha256);
    let about = lines.map_or(String::new(), |set| counted(set.source.len(), "line", "lines"));
    let table = table.without_empty_columns().aligned();
    json!({"id": format!("task{number}"), "name": name, "about": about, "table": table})
}

/// Costs that the leaderboard shows: speeds first, then latencies.
fn costs() -> impl Iterator<Item = Cost> {
    Cost::all().sorted_by_key(|cost| cost.less_is_better())
}

/// The row of a system, if the run has a cell of it: its worst verdict, and the worst of its tracks' scores. A metric
/// other than the task's leaves the quality empty: scores of two metrics have no common order.
fn row(entry: &Entry, set: &str, system: &str, title: &str) -> Option<(&'static str, Vec<Field>)> {
    let cells = entry.summary.cells.iter().filter(|cell| cell.test_set == set && cell.system == system);
    let cells: Vec<&CellSummary> = cells.collect();
    let first = cells.first()?;
    let verdict = cells.iter().map(|cell| cell.verdict).max()?;
    let invalid = verdict == Verdict::Invalid;
    let of = |track: Track| cells.iter().copied().find(|cell| cell.track == track && !invalid);
    let paid = [Track::ThroughputAll, Track::Throughput1].into_iter().find_map(of);
    let standing = paid.or(of(Track::Latency)).and_then(|cell| cell.standing);
    let scale = entry.run.first_scale(set);
    let scored = cells.iter().filter(|_| scale.title == title && !invalid);
    let score = scale.worst(scored.filter_map(|cell| cell.first_quality()));
    let peak = cells.iter().copied().max_by_key(|cell| cell.peak_bytes);
    let cost = |cost: Cost| match cost {
        Cost::Dollars => Field::rounded(cost.column(), paid),
        Cost::Under(track) => Field::rounded(cost.column(), of(track)),
    };
    let told = match standing {
        _ if invalid => "INVALID".into(),
        Some(Standing::Frontier) => format!("{}, frontier", verdict.name()),
        _ => verdict.name().to_owned(),
    };
    let mut fields = vec![Field::text(system), Field::text(&entry.host), Field::quality(&scale, score)];
    fields.extend(costs().map(cost));
    fields.extend([
        Field::rounded(Column::Peak, peak),
        Field::text(first.profile.name()),
        Field::text(entry.run.day().unwrap_or_default()),
        Field::text(told),
        Field::text(&entry.name).linked(entry.report.clone()),
    ]);
    Some((class_of(verdict, standing), fields))
}
