use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::*;
use crate::rules::Track;

/// Texts of `run.json` of all published runs, with instruction sets in today's spelling.
fn published() -> Vec<(PathBuf, String)> {
    fn below(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => below(&path, found),
                false if path.ends_with("run.json") => found.push(path),
                false => {}
            }
        }
    }
    let mut found = Vec::new();
    below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results"), &mut found);
    assert!(found.len() >= 20, "{} published runs", found.len());
    let today =
        |text: String| text.replace("\"avxvnni\"", "\"avx_vnni\"").replace("avx512vnni", "avx512_vnni");
    let read = |path: PathBuf| (path.clone(), today(fs::read_to_string(path).unwrap()));
    found.into_iter().map(read).collect()
}

fn whole() -> Value {
    json!({
        "key": "", "campaign": "c",
        "protocol": {
            "schema": 2, "profile": "quick", "seed": 1, "cores": null,
            "limits": {"line_seconds": 60.0, "launch_seconds": 3600.0, "noisy_repeats": null, "runaway_factor": 2.0},
            "tracks": ["latency", "server"], "probes": ["length"], "interleave": "slices", "filler": null,
            "meter": ["watts"], "load": {"limit_ms": 250.0, "percentile": 99.0}, "shard": "2/6"
        },
        "systems": [
            {"name": "a", "launch": {"built-in": {"backend": "ssru", "settings": {"beam": 2}, "batch": 64}},
             "models": ["m"], "environment": [], "sampling": false, "twin_of": null,
             "search": {"precision": "int8", "beam": 2}},
            {"name": "b", "launch": {"plugin": {"library": "b.so", "settings": {}, "batch": {"lines": 4}}},
             "models": [], "environment": [["A", "1"]], "task": "encode", "sampling": true, "sandbox": "bwrap",
             "sandbox_paths": ["p"], "tracks": ["latency"], "cores": 2, "sweep": "s", "twin_of": "a"},
            {"name": "c", "launch": {"foreign": {"command": ["cat"], "folder": "."}},
             "models": [], "environment": [], "sampling": false, "twin_of": null},
            {"name": "d", "launch": {"adapter": {"name": "marian", "settings": {"beam": 1}}},
             "models": [], "environment": [], "sampling": false, "twin_of": null},
            {"name": "e", "launch": {"submission":
                {"dialect": "wmt26", "folder": "f", "pair": "en-de", "batch-lines": 16, "environment": [["A", "1"]]}},
             "models": [], "environment": [], "sampling": false, "twin_of": null}
        ],
        "programs": [["dyno", "00"]], "test_sets": [["set", "11", 3]],
        "host": {"cpu": "c", "isa": ["avx2"], "cores": [0, 1], "caches": [], "memory_bytes": 1, "kernel": "6",
                 "cgroup_limits": []}
    })
}

/// The key as it was computed before identities had types: of the JSON of whatever fields there are.
fn key_of(text: &str) -> String {
    let mut value: Value = serde_json::from_str(text).unwrap();
    value["key"] = json!("");
    hash_of(value.to_string().as_bytes())[..8].into()
}

#[test]
fn every_published_identity_is_written_as_it_was_read_and_keeps_its_key() {
    for (path, text) in published() {
        let identity = Identity::parse(text.as_bytes()).unwrap_or_else(|fault| panic!("{path:?}: {fault}"));
        let written = serde_json::to_string_pretty(&identity).unwrap();
        assert!(written == text, "{path:?} is written in another way");
        assert_eq!(identity.with_key().unwrap().key, key_of(&text), "{path:?}");
    }
}

#[test]
fn every_field_keeps_its_place_so_that_keys_stay() {
    let text = whole().to_string();
    let identity = Identity::parse(text.as_bytes()).unwrap();
    assert_eq!(serde_json::to_string(&identity).unwrap(), text);
    assert_eq!(identity.clone().with_key().unwrap().key, key_of(&text));
    assert_eq!(identity.with_key().unwrap().key, "97c9aa04");
}

#[test]
fn a_key_that_cannot_be_read_is_named() {
    let damage: [(&str, Option<Value>, &str); 8] = [
        ("/protocol/profile", Some(json!("thorough")), "protocol.profile"),
        ("/protocol/profile", None, "protocol"),
        ("/protocol/tracks/1", Some(json!("walking")), "protocol.tracks[1]"),
        ("/protocol/tracks", None, "protocol"),
        ("/protocol/shard", Some(json!("7/6")), "protocol.shard"),
        ("/protocol/surprise", Some(json!(1)), "protocol.surprise"),
        ("/systems/2/launch/foreign/command", Some(json!("cat")), "systems[2].launch.foreign.command"),
        ("/systems/0/name", None, "systems[0]"),
    ];
    for (pointer, value, key) in damage {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let mut run = whole();
        match (run.pointer_mut(parent).unwrap(), value) {
            (Value::Object(fields), Some(value)) => drop(fields.insert(name.into(), value)),
            (Value::Object(fields), None) => drop(fields.remove(name).unwrap()),
            (list, value) => list[name.parse::<usize>().unwrap()] = value.unwrap(),
        }
        match Identity::parse(run.to_string().as_bytes()) {
            Err(Unreadable::Key(fault)) => assert_eq!(fault.key, key, "{pointer}"),
            read => panic!("{pointer}: {read:?}"),
        }
    }
    let mut newer = whole();
    newer["protocol"]["schema"] = json!(SCHEMA + 1);
    newer["protocol"]["surprise"] = json!(1);
    let read = Identity::parse(newer.to_string().as_bytes());
    assert!(matches!(read, Err(Unreadable::Newer(schema)) if schema == SCHEMA + 1), "{read:?}");
    assert!(Identity::parse(format!("{} {{}}", whole()).as_bytes()).is_err(), "something follows");
}

#[test]
fn protocols_differ_where_any_of_their_keys_does() {
    let identity = Identity::parse(whole().to_string().as_bytes()).unwrap();
    let (protocol, mut other) = (&identity.protocol, identity.protocol.clone());
    assert_eq!(protocol.difference(&other), None);
    (other.seed, other.meter) = (7, None);
    assert_eq!(protocol.difference(&other).unwrap(), "meter is null, not [\"watts\"]");
    assert_eq!(other.difference(&protocol.of_all_shards()).unwrap(), "meter is [\"watts\"], not null");
}

#[test]
fn a_system_without_tracks_takes_part_in_all() {
    let identity = Identity::parse(whole().to_string().as_bytes()).unwrap();
    let takes_part = |name| Track::ALL.map(|track| identity.system(name).unwrap().takes_part(track));
    assert_eq!(takes_part("a"), Track::ALL.map(|_| true));
    assert_eq!(takes_part("b"), Track::ALL.map(|track| track == Track::Latency));
    assert!(identity.names("a", "set") && !identity.names("z", "set") && !identity.names("a", "other"));
}
