//! Results of airspeed velocity (asv), version 2 of its files: a machine, its results at a commit, and the
//! list of benchmarks. A benchmark is a quantity of a test set under a track; its parameter is the system.

use std::collections::BTreeMap;

use dyno_measure::Host;
use serde_json::{Map, Value, json};

use super::figures::Figure;

/// Version of asv's files.
const VERSION: u32 = 2;
/// Name of the environment: a run has no Python of its own.
const ENVIRONMENT: &str = "dyno";

/// Contents of asv's folder of results, by path, of `figures` that were measured on `host`, called `machine`. The commit
/// that they belong to has a hash and a moment, in milliseconds since 1970.
pub fn asv(
    machine: &str,
    host: &Host,
    (commit, unix_ms): (&str, i64),
    figures: &[Figure<'_>],
) -> BTreeMap<String, Value> {
    let benchmarks = by_benchmark(figures);
    let short = &commit[..commit.len().min(8)];
    let machine_facts = machine_facts(machine, host);
    let results = json!({
        "commit_hash": commit,
        "env_name": ENVIRONMENT,
        "date": unix_ms,
        "params": machine_facts,
        "python": "",
        "requirements": {},
        "env_vars": {},
        "result_columns": ["result", "params", "version"],
        "results": benchmarks.iter().map(|(name, own)| (name.clone(), result(own))).collect::<Map<_, _>>(),
        "durations": {},
        "version": VERSION,
    });
    let mut facts = machine_facts;
    facts["version"] = json!(1);
    let mut list: Map<String, Value> =
        benchmarks.iter().map(|(name, own)| (name.clone(), described(name, own))).collect();
    list.insert("version".into(), json!(VERSION));
    BTreeMap::from([
        (format!("{machine}/machine.json"), facts),
        (format!("{machine}/{short}-{ENVIRONMENT}.json"), results),
        ("benchmarks.json".into(), list.into()),
    ])
}

/// Figures of each benchmark, under a name of words and dots.
fn by_benchmark<'a, 'b>(figures: &'b [Figure<'a>]) -> BTreeMap<String, Vec<&'b Figure<'a>>> {
    let word =
        |text: &str| -> String { text.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect() };
    let mut benchmarks: BTreeMap<String, Vec<&Figure<'_>>> = BTreeMap::new();
    for figure in figures {
        let (set, track) = (&figure.cell.test_set, figure.cell.track.name());
        let name = format!("{}.{}.track_{}", word(set), word(track), word(&figure.quantity));
        benchmarks.entry(name).or_default().push(figure);
    }
    benchmarks
}

/// Columns `result`, `params` and `version` of a benchmark.
fn result(figures: &[&Figure<'_>]) -> Value {
    let values: Vec<f64> = figures.iter().map(|figure| figure.value).collect();
    json!([values, [systems(figures)], version_of(figures)])
}

fn described(name: &str, figures: &[&Figure<'_>]) -> Value {
    json!({
        "code": "",
        "name": name,
        "param_names": ["system"],
        "params": [systems(figures)],
        "timeout": 60.0,
        "type": "track",
        "unit": figures.first().map_or("", |figure| figure.unit.as_str()),
        "version": version_of(figures),
    })
}

/// Values of the parameter, as Python writes strings.
fn systems(figures: &[&Figure<'_>]) -> Vec<String> {
    let quoted = |name: &str| format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'"));
    figures.iter().map(|figure| quoted(&figure.cell.system)).collect()
}

/// Version of a benchmark: results of another profile or unit can't be compared.
fn version_of(figures: &[&Figure<'_>]) -> String {
    figures.first().map_or(String::new(), |figure| format!("{} {}", figure.cell.profile, figure.unit))
}

fn machine_facts(machine: &str, host: &Host) -> Value {
    json!({
        "machine": machine,
        "os": format!("Linux {}", host.kernel),
        "arch": host.architecture(), // where another host may export
        "cpu": host.cpu,
        "num_cpu": host.cores.len().to_string(),
        "ram": (host.memory_bytes / 1024).to_string(),
    })
}
