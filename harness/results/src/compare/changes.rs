//! Changes of a system between two runs, or between the two sides of a gate: settings, command, environment
//! and files. A change of speed often has its cause there.

use std::collections::BTreeMap;
use std::path::Path;

use dyno_record::Identity;
use dyno_record::identity::{Launch, RunProtocol, RunSystem, SubmissionLaunch};
use serde::Serialize;
use serde_json::Value;

/// Changes of a system, each as a phrase such as `beam 3, before 2`.
#[derive(Debug, PartialEq, Serialize)]
pub struct Changes {
    /// Name of the system.
    pub system: String,
    /// Phrases, by the name of the setting.
    pub changes: Vec<String>,
}

/// Facts by their name.
type Facts = BTreeMap<String, String>;

impl Changes {
    /// Changes from the system `old` of the run `before` to the system `new` of the run `after`; `None` if
    /// nothing changed.
    pub fn between((before, old): (&Identity, &str), (after, new): (&Identity, &str)) -> Option<Self> {
        let (from, to) = (before.system(old)?, after.system(new)?);
        let mut changes = differing(&facts(from), &facts(to));
        if files(before, from) != files(after, to) {
            changes.push("other files of the model or the program".into());
        }
        (!changes.is_empty()).then(|| Self { system: new.into(), changes })
    }

    /// Changes in a line.
    pub fn about(&self) -> String {
        format!("{} was changed: {}", self.system, self.changes.join("; "))
    }
}

/// Parameters on which no speed depends.
const BESIDE_SPEED: [&str; 6] = ["meter", "probes", "schema", "seed", "shard", "tracks"];

/// Letters of a SHA-256 in hexadecimal.
const HASH: usize = 64;

/// Changes of the protocol between two runs, in what speed depends on.
pub fn protocol_changes(before: &Identity, after: &Identity) -> Vec<String> {
    let facts = |protocol: &RunProtocol| -> Facts {
        let Ok(Value::Object(parameters)) = serde_json::to_value(protocol) else { return Facts::new() };
        let set = parameters.into_iter().filter(|(name, _)| !BESIDE_SPEED.contains(&name.as_str()));
        set.filter_map(|(name, value)| Some((name, plain(&value)?))).collect()
    };
    differing(&facts(&before.protocol), &facts(&after.protocol))
}

/// Text of a parameter; `None` where it is unset. Hashes are shortened.
fn plain(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::String(text) if text.len() == HASH => text.chars().take(8).collect(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().filter_map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let fields = fields.iter().filter_map(|(name, value)| Some(format!("{name} {}", plain(value)?)));
            fields.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    })
}

fn differing(before: &Facts, after: &Facts) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let of = |facts: &Facts, name: &String| facts.get(name).map_or_else(|| "unset".into(), String::clone);
    let changed = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    changed.map(|name| format!("{name} {}, before {}", of(after, name), of(before, name))).collect()
}

/// Facts of a system by the name of the setting, option or variable. Paths are absent: the contents of files
/// are compared instead.
fn facts(system: &RunSystem) -> Facts {
    let words = |(name, value): &(String, String)| format!("{name} {value}");
    let of_launch = match &system.launch {
        Launch::BuiltIn { backend, .. } => vec![("backend", backend.clone())],
        Launch::Plugin { .. } => Vec::new(),
        Launch::Foreign { command, .. } => vec![("command", command.join(" "))],
        Launch::Adapter(adapter) => vec![("name", adapter.name.clone())],
        Launch::Submission(SubmissionLaunch { dialect, pair, batch_lines, environment, .. }) => vec![
            ("dialect", dialect.clone()),
            ("pair", pair.clone()),
            ("batch-lines", batch_lines.to_string()),
            ("environment", environment.iter().map(words).collect::<Vec<_>>().join(" ")),
        ],
    };
    let of_system = [
        ("launch", system.launch.kind().to_owned()),
        ("sampling", system.sampling.to_string()),
        ("models", system.models.len().to_string()),
    ];
    let named = of_launch.into_iter().chain(of_system).filter(|(_, value)| !value.is_empty());
    let set = system.launch.settings().into_iter().chain(system.environment.iter().cloned());
    set.chain(named.map(|(name, value)| (name.to_owned(), value))).collect()
}

/// Hashes of the files of a system: models, a plugin's library, files among the words of a command. They say
/// more than paths, which differ between two checkouts.
fn files<'a>(identity: &'a Identity, system: &RunSystem) -> Vec<&'a str> {
    let mut places = system.models.clone();
    match &system.launch {
        Launch::Plugin { library, .. } => places.push(library.clone()),
        Launch::Foreign { command, folder } => places.extend(command.iter().map(|word| folder.join(word))),
        Launch::BuiltIn { .. } | Launch::Adapter(_) | Launch::Submission(_) => {}
    }
    let is_own = |path: &Path| places.iter().any(|place| path.starts_with(place));
    let own = identity.programs.iter().filter(|(path, _)| is_own(path));
    let mut hashes: Vec<&str> = own.map(|(_, hash)| hash.as_str()).collect();
    hashes.sort_unstable();
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn built_in(settings: Value, model: &str) -> Value {
        let launch = json!({"built-in": {"backend": "ssru", "settings": settings}});
        json!({"name": "a", "launch": launch, "models": [model], "environment": [], "sampling": false})
    }

    fn foreign(command: &[&str], environment: Value) -> Value {
        let launch = json!({"foreign": {"command": command, "folder": "/here"}});
        json!({"name": "a", "launch": launch, "models": [], "environment": environment, "sampling": false})
    }

    fn identity(system: Value, programs: &[(&str, &str)]) -> Identity {
        let limits = json!({"line_seconds": 60.0, "launch_seconds": 3600.0, "noisy_repeats": null});
        let protocol = json!({
            "schema": 2, "profile": "quick", "seed": 1, "cores": null, "limits": limits, "tracks": ["latency"],
            "probes": [], "filler": null
        });
        let host = json!({
            "cpu": "c", "isa": [], "cores": [0], "caches": [], "memory_bytes": 1, "kernel": "6", "cgroup_limits": []
        });
        let run = json!({
            "key": "", "campaign": "c", "protocol": protocol, "systems": [system], "programs": programs,
            "test_sets": [], "host": host
        });
        Identity::parse(run.to_string().as_bytes()).unwrap()
    }

    fn changes(before: &Identity, after: &Identity) -> Vec<String> {
        Changes::between((before, "a"), (after, "a")).map_or_else(Vec::new, |found| found.changes)
    }

    #[test]
    fn a_changed_setting_is_named_with_both_values() {
        let of = |settings| identity(built_in(settings, "/m"), &[("/m/weights", "1")]);
        let before = of(json!({"beam": 2, "precision": "int8"}));
        assert_eq!(changes(&before, &of(json!({"beam": 3, "precision": "int8"}))), ["beam 3, before 2"]);
        assert_eq!(changes(&before, &of(json!({"precision": "int8"}))), ["beam unset, before 2"]);
        assert!(changes(&before, &before).is_empty());
    }

    #[test]
    fn files_are_compared_by_content_and_not_by_place() {
        let of = |model: &str, hash: &str| {
            let programs = [(&*format!("{model}/weights"), hash), ("dyno", "9")];
            identity(built_in(json!({}), model), &programs)
        };
        assert!(changes(&of("/one/m", "1"), &of("./m", "1")).is_empty());
        assert_eq!(changes(&of("/one/m", "1"), &of("/one/m", "2")).len(), 1);
        let script = |hash| identity(foreign(&["sh", "run.sh"], json!([])), &[("/here/run.sh", hash)]);
        assert_eq!(changes(&script("1"), &script("2")).len(), 1);
    }

    #[test]
    fn a_changed_command_or_variable_is_named() {
        let of = |command: &[&str], variables| identity(foreign(command, variables), &[]);
        let before = of(&["mt", "-b", "1"], json!([["THREADS", "1"]]));
        let after = of(&["mt", "-b", "4"], json!([["THREADS", "2"]]));
        let expected = ["THREADS 2, before 1", "command mt -b 4, before mt -b 1"];
        assert_eq!(changes(&before, &after), expected);
    }

    #[test]
    fn the_protocol_counts_where_speed_depends_on_it() {
        let mut before = identity(built_in(json!({}), "/m"), &[]);
        let after = before.clone();
        (before.protocol.cores, before.protocol.seed) = (Some(2), 3);
        assert_eq!(protocol_changes(&before, &after), ["cores unset, before 2"]);
        (before.protocol.cores, before.protocol.clients) = (None, vec![1, 2, 4]);
        before.protocol.arrivals = Some("abc".into());
        assert_eq!(
            protocol_changes(&before, &after),
            ["arrivals unset, before abc", "clients unset, before 1, 2, 4"]
        );
        let load = |limit: f64| json!({"limit_ms": limit, "percentile": 99});
        let mut limited = after.clone();
        limited.protocol.load = serde_json::from_value(load(500.0)).unwrap();
        let mut before = limited.clone();
        before.protocol.load = serde_json::from_value(load(250.0)).unwrap();
        let changes = protocol_changes(&before, &limited);
        assert!(
            changes.len() == 1 && changes[0].starts_with("load ") && changes[0].contains("500"),
            "{changes:?}"
        );
    }
}
