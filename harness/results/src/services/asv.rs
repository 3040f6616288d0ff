//! Results of airspeed velocity (asv), version 2 of its files: a machine, its results at a commit, and the
//! list of benchmarks. A benchmark is a quantity of a test set under a track; its parameter is the system.

use std::collections::BTreeMap;

use dyno_record::Host;
use serde_json::{Map, Value, json};

use super::figures::Figure;

/// Version of asv's files.
const VERSION: u32 = 2;
/// Name of the environment: a run has no Python of its own.
const ENVIRONMENT: &str = "dyno";

/// Figures of a host, with the host and its name as a machine.
pub type OfHost<'a> = (String, &'a Host, Vec<Figure<'a>>);

/// Contents of asv's folder of results, by path. The commit that the figures belong to has a hash and a moment, in
/// milliseconds since 1970. A benchmark of several hosts is described as the first of them has it.
pub fn asv(hosts: &[OfHost<'_>], (commit, unix_ms): (&str, i64)) -> BTreeMap<String, Value> {
    let (mut files, mut list) = (BTreeMap::new(), Map::from_iter([("version".into(), json!(VERSION))]));
    for (machine, host, figures) in hosts {
        let benchmarks = by_benchmark(figures);
        for (name, own) in &benchmarks {
            list.entry(name).or_insert_with(|| described(name, own));
        }
        let mut facts = machine_facts(machine, host);
        let results = results(&benchmarks, (commit, unix_ms), &facts);
        files.insert(format!("{machine}/{}-{ENVIRONMENT}.json", &commit[..commit.len().min(8)]), results);
        facts["version"] = json!(1);
        files.insert(format!("{machine}/machine.json"), facts);
    }
    files.insert("benchmarks.json".into(), list.into());
    files
}

/// Figures by the name of their benchmark.
type Benchmarks<'a, 'b> = BTreeMap<String, Vec<&'b Figure<'a>>>;

fn results(benchmarks: &Benchmarks<'_, '_>, (commit, unix_ms): (&str, i64), machine: &Value) -> Value {
    json!({
        "commit_hash": commit,
        "env_name": ENVIRONMENT,
        "date": unix_ms,
        "params": machine,
        "python": "",
        "requirements": {},
        "env_vars": {},
        "result_columns": ["result", "params", "version"],
        "results": benchmarks.iter().map(|(name, own)| (name.clone(), result(own))).collect::<Map<_, _>>(),
        "durations": {},
        "version": VERSION,
    })
}

/// Figures of each benchmark, under a name of words and dots.
fn by_benchmark<'a, 'b>(figures: &'b [Figure<'a>]) -> Benchmarks<'a, 'b> {
    let word =
        |text: &str| -> String { text.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect() };
    let mut benchmarks = Benchmarks::new();
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
