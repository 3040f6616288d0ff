//! Plugins under the same contract as everything else: those in `backends/plugin/examples`, and one that breaks it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Bench, Ended, LATENCY, feed, skip};
use crate::translate::LINES;

fn backends(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../backends").join(path)
}

/// The engine ssru as a plugin: cargo has put it beside this test, which it was built for.
pub fn rust_plugin() -> String {
    let library = std::env::current_exe().unwrap().with_file_name("libdyno_plugin_ssru.so");
    assert!(library.is_file(), "{} is a dev-dependency", library.display());
    library.to_str().unwrap().into()
}

/// Compiles a plugin in C into the bench's folder; `None`, said aloud, where there is no compiler.
fn c_plugin(bench: &Bench, source: &str, macros: &[&str]) -> Option<String> {
    let library = bench.path("plugin.so");
    let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    command.args(["-std=gnu99", "-shared", "-fPIC", "-O2", "-I"]).arg(backends("api/include")).args(macros);
    let Ok(output) = command.arg(backends(source)).arg("-o").arg(&library).output() else {
        skip("a plugin in C: there is no C compiler");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(library.to_str().unwrap().into())
}

fn glossary(bench: &Bench) -> Option<String> {
    bench.write("words.tsv", "dog\tHund\nA\tEin\ncat\tKatze\nodd\t\"\\\n");
    c_plugin(bench, "plugin/examples/glossary/glossary.c", &["-Wall", "-Wextra", "-Werror"])
}

pub fn misbehaving(bench: &Bench) -> Option<String> {
    let macros = [
        "-DVERSION=DYNO_BACKEND_VERSION",
        "-DSIZE=sizeof(dyno_backend)",
        "-DRUN=run",
        "-DREFUSE=0",
        "-DDESCRIPTION=\"{\\\"name\\\": \\\"misbehaving\\\"}\"",
    ];
    c_plugin(bench, "plugin/tests/it/misbehaving.c", &macros)
}

fn translate(bench: &Bench, plugin: &str, further: &[&str], input: &[u8]) -> Ended {
    feed(bench.dyno(&[&["translate", "--plugin", plugin], further].concat()), input)
}

/// A campaign whose only system is this plugin.
fn campaign(bench: &Bench, plugin: &str, further: &str) {
    let tracks = LATENCY.replace("\"latency\"", "\"latency\", \"throughput-1\", \"throughput-all\"");
    let system = format!("[[system]]\nname = \"it\"\nplugin = {plugin:?}\n{further}\n");
    bench.write("campaign.toml", format!("line-seconds = 5.0\n{tracks}{system}"));
}

fn assert_all(bench: &Bench, verdict: &str) -> Vec<Value> {
    let records = bench.records();
    // A loaded machine makes rounds NOISY; that is not what is tested here.
    let is_right = |record: &Value| (record["verdict"] == "INVALID") == (verdict == "INVALID");
    assert!(!records.is_empty() && records.iter().all(is_right), "{records:?}");
    records
}

#[test]
fn an_engine_translates_the_same_as_a_plugin() {
    let bench = Bench::new(LATENCY);
    let goldens = backends("ssru/tests/goldens/marian");
    let [model, vocab, input] =
        ["tied-layers/model.npz", "vocab.spm", "input.en"].map(|name| goldens.join(name));
    let arguments = ["--model", model.to_str().unwrap(), "--vocab", vocab.to_str().unwrap()];
    let input = fs::read(input).unwrap();
    let plugin = rust_plugin();
    for further in
        [&["--beam", "1"][..], &["--beam", "3", "--n-best"], &["--cores", "2"], &["--track", "latency"]]
    {
        let arguments = [&arguments[..], further].concat();
        let expected =
            feed(bench.dyno(&[&["translate", "--backend", "ssru"], &arguments[..]].concat()), &input);
        let ended = translate(&bench, &plugin, &arguments, &input);
        assert_eq!((ended.code, ended.stdout), (Some(0), expected.stdout), "{further:?} {}", ended.stderr);
    }
    translate(&bench, &plugin, &["--set", "baem=2"], b"")
        .assert_says(2, &["libdyno_plugin_ssru.so: ", "one model"]);
    let wrong = [&arguments[..], &["--set", "baem=2"]].concat();
    translate(&bench, &plugin, &wrong, b"").assert_says(2, &["no setting `baem`", "did you mean `beam`?"]);
}

#[test]
#[ignore = "takes many seconds"]
fn an_engine_competes_as_a_plugin() {
    let bench = Bench::new(LATENCY);
    let goldens = backends("ssru/tests/goldens/marian");
    let [model, vocab] = ["tied-layers/model.npz", "vocab.spm"].map(|name| goldens.join(name));
    campaign(&bench, &rust_plugin(), &format!("model = {model:?}\nsettings = {{ vocab = {vocab:?} }}"));
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let records = assert_all(&bench, "VALID");
    assert_eq!(records[0]["facts"]["backend"], "ssru");
    let run: Value = serde_json::from_slice(&fs::read(bench.path("out/run.json")).unwrap()).unwrap();
    let hashed = run["programs"].to_string();
    assert!(hashed.contains("libdyno_plugin_ssru.so"), "the run's key depends on the plugin: {hashed}");
}

#[test]
fn a_plugin_in_c_keeps_the_contract() {
    let bench = Bench::new(LATENCY);
    let Some(plugin) = glossary(&bench) else { return };
    for track in ["latency", "throughput-1", "throughput-all"] {
        for (input, expected) in LINES {
            let ended = translate(&bench, &plugin, &["--model", "words.tsv", "--track", track], input);
            assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), *expected), "{track} {input:?}");
        }
    }
    let arguments = ["--model", "words.tsv", "--facts", "f.json", "--breakdown", "b.json"];
    let ended = translate(&bench, &plugin, &arguments, b"A dog sees  a cat odd \xe2\x82 dog\0s\n");
    assert_eq!(ended.stdout, "Ein Hund sees  a Katze \"\\ \u{fffd}\u{fffd} dog\0s\n");
    let facts: Value = serde_json::from_slice(&fs::read(bench.path("f.json")).unwrap()).unwrap();
    assert_eq!(facts["files"][0]["bytes"], fs::metadata(bench.path("words.tsv")).unwrap().len());
    assert_eq!(fs::read_to_string(bench.path("b.json")).unwrap(), "null");
}

#[test]
fn a_plugin_in_c_competes() {
    let bench = Bench::new(LATENCY);
    let Some(plugin) = glossary(&bench) else { return };
    campaign(&bench, &plugin, "model = \"words.tsv\"");
    let ended = bench.run(&["--track", "latency"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_all(&bench, "VALID");
    let listed = Ended::of(bench.dyno(&["list", "campaign.toml"]).output().unwrap());
    assert!(listed.stdout.contains(&format!("plugin {plugin}")), "{listed:?}");
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_measured() {
    let bench = Bench::new(LATENCY);
    bench.write("text.so", "no library");
    translate(&bench, "gone.so", &[], b"").assert_says(2, &["no plugin at gone.so", "name the file"]);
    translate(&bench, "text.so", &[], b"")
        .assert_says(2, &["text.so is no shared library", "crate-type cdylib"]);
    campaign(&bench, "gone.so", "");
    bench.run(&[]).assert_says(2, &["campaign.toml:7:10", "no plugin at"]);
    campaign(&bench, "text.so", "");
    bench.run(&[]).assert_says(2, &["system \"it\"", "text.so is no shared library"]);
    let Some(plugin) = glossary(&bench) else { return };
    translate(&bench, &plugin, &[], b"").assert_says(2, &["plugin.so: glossary", "one model"]);
    translate(&bench, &plugin, &["--model", "gone"], b"").assert_says(2, &["gone: No such file"]);
    translate(&bench, &plugin, &["--model", "text.so"], b"").assert_says(2, &["text.so: a line has no tab"]);
    let Some(plugin) = misbehaving(&bench) else { return };
    campaign(&bench, &plugin, "settings = { mode = \"open-crash\" }");
    bench.run(&[]).assert_says(2, &["system \"it\"", "signal 6", "run it by hand"]);
    assert!(!bench.path("out").exists());
}

#[test]
#[ignore = "takes many seconds"]
fn a_plugin_that_fails_at_work_costs_its_own_rounds_alone() {
    for (mode, part) in [("run-crash", "signal 6"), ("run-fail", "the cat sat on it"), ("twice", "twice")] {
        let bench = Bench::new(LATENCY);
        let Some(plugin) = misbehaving(&bench) else { return };
        let honest = "[[system]]\nname = \"null\"\nbackend = \"null\"";
        campaign(&bench, &plugin, &format!("settings = {{ mode = {mode:?} }}\n{honest}"));
        let ended = bench.run(&["--track", "throughput-1"]);
        assert_eq!(ended.code, Some(1), "INVALID is the answer no: {ended:?}");
        for record in bench.records() {
            let bad = record["system"] == "it";
            assert_eq!(record["verdict"] == "INVALID", bad);
            if bad {
                assert_eq!(record["reasons"][0]["code"], "crashed");
                let figure = record["reasons"][0]["figure"].as_str().unwrap();
                assert!(figure.contains(part), "{part:?} is not in {figure:?}");
            }
        }
    }
}
