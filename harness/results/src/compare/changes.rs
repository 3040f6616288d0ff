//! Changes of a system between two runs, or between the two sides of a gate: settings, command, environment
//! and files. A change of speed often has its cause there.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::identity::Identity;

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
        let (from, to) = (before.described(old)?, after.described(new)?);
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

/// Changes of the protocol between two runs, in what speed depends on.
pub fn protocol_changes(before: &Identity, after: &Identity) -> Vec<String> {
    let facts = |identity: &Identity| -> Facts {
        let fact = |name: &str| Some((name.to_owned(), shown(identity.protocol.get(name)?)?));
        ["profile", "cores", "filler"].into_iter().filter_map(fact).collect()
    };
    differing(&facts(before), &facts(after))
}

fn differing(before: &Facts, after: &Facts) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let of = |facts: &Facts, name: &String| facts.get(name).map_or_else(|| "unset".into(), String::clone);
    let changed = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    changed.map(|name| format!("{name} {}, before {}", of(after, name), of(before, name))).collect()
}

/// Facts of a system by the name of the setting, option or variable. Paths are absent: the contents of files
/// are compared instead.
fn facts(system: &Value) -> Facts {
    let mut facts = Facts::new();
    for (kind, launch) in system["launch"].as_object().into_iter().flatten() {
        facts.insert("launch".into(), kind.clone());
        for (name, value) in launch.as_object().into_iter().flatten().filter(|(name, _)| !is_path(name)) {
            match value.as_object() {
                Some(settings) => facts.extend(settings.iter().filter_map(named)),
                None => facts.extend(named((name, value))),
            }
        }
    }
    for pair in system["environment"].as_array().into_iter().flatten() {
        facts.extend(pair[0].as_str().and_then(|name| Some((name.to_owned(), shown(&pair[1])?))));
    }
    facts.extend(shown(&system["sampling"]).map(|sampling| ("sampling".into(), sampling)));
    facts.insert("models".into(), system["models"].as_array().map_or(0, Vec::len).to_string());
    facts
}

fn is_path(name: &str) -> bool {
    ["folder", "library"].contains(&name)
}

fn named((name, value): (&String, &Value)) -> Option<(String, String)> {
    Some((name.clone(), shown(value)?))
}

/// A value as text: words of a command with spaces; `None` for null.
fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => Some(words.iter().filter_map(shown).collect::<Vec<_>>().join(" ")),
        other => Some(other.to_string()),
    }
}

/// Hashes of the files of a system: models, a plugin's library, files among the words of a command. They say
/// more than paths, which differ between two checkouts.
fn files<'a>(identity: &'a Identity, system: &Value) -> Vec<&'a str> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut places: Vec<_> =
        system["models"].as_array().into_iter().flatten().filter_map(text).map(Into::into).collect();
    for launch in system["launch"].as_object().into_iter().flat_map(|launch| launch.values()) {
        places.extend(text(&launch["library"]).map(Into::into));
        let folder = text(&launch["folder"]).unwrap_or_default();
        let words = launch["command"].as_array().into_iter().flatten().filter_map(text);
        places.extend(words.map(|word| Path::new(&folder).join(word)));
    }
    let is_own = |path: &Path| places.iter().any(|place: &std::path::PathBuf| path.starts_with(place));
    let own = identity.programs.iter().filter(|(path, _)| is_own(path));
    let mut hashes: Vec<&str> = own.map(|(_, hash)| hash.as_str()).collect();
    hashes.sort_unstable();
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_measure::Host;
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
        let programs = programs.iter().map(|(path, hash)| (path.into(), (*hash).into())).collect();
        let protocol = json!({"profile": "quick", "cores": null, "seed": 1});
        Identity::new("c", protocol, json!([system]), programs, &[], &Host::detect().unwrap()).unwrap()
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
        before.protocol = json!({"profile": "quick", "cores": 2, "seed": 3});
        assert_eq!(protocol_changes(&before, &after), ["cores unset, before 2"]);
    }
}
