//! Where the time goes: told by the backend, checked by the bench, kept with the run, shown in the report.

use std::fs;
use std::time::Instant;

use serde_json::Value;

use crate::plugins::{misbehaving, rust_plugin};
use crate::support::{Bench, Ended, LATENCY, feed};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/ssru");
const INPUT: &[u8] = b"A dog runs across the grass.\n\nTwo men talk.\n";

fn read(bench: &Bench, name: &str) -> Value {
    serde_json::from_slice(&fs::read(bench.path(name)).unwrap()).unwrap()
}

fn sum(parts: &Value) -> u64 {
    parts.as_object().unwrap().values().map(|part| part.as_u64().unwrap()).sum()
}

#[test]
fn watching_changes_no_line_and_accounts_for_the_time_once() {
    let bench = Bench::new(LATENCY);
    let translate =
        |further: &[&str]| feed(bench.dyno(&[&["translate", "--model", MODEL], further].concat()), INPUT);
    let plain = translate(&[]);
    for further in [&["--track", "latency"][..], &["--cores", "2"], &["--beam", "3", "--precision", "int8"]] {
        let begin = Instant::now();
        let watched = translate(&[further, &["--breakdown", "b.json"]].concat());
        let elapsed = begin.elapsed().as_nanos() as u64;
        assert_eq!(watched.code, Some(0), "{watched:?}");
        if further.len() == 2 {
            assert_eq!(watched.stdout, plain.stdout, "{further:?}");
        }
        let told = read(&bench, "b.json");
        let [components, operators] = ["components", "operators"].map(|way| sum(&told[way]));
        assert_eq!(components, operators);
        assert!(components > 0 && components < 2 * elapsed, "{components} of {elapsed}: {told}");
    }
    let plugin = rust_plugin();
    let arguments = ["translate", "--plugin", &plugin, "--model", MODEL, "--breakdown", "p.json"];
    assert_eq!(feed(bench.dyno(&arguments), INPUT).stdout, plain.stdout);
    assert!(sum(&read(&bench, "p.json")["components"]) > 0, "a plugin's account comes through the interface");
}

#[test]
fn the_command_tells_it_as_tables_and_as_json() {
    let bench = Bench::new(LATENCY);
    let breakdown = |further: &[&str]| {
        let arguments = [&["breakdown", "--model", MODEL, "tiny.en"], further].concat();
        Ended::of(bench.dyno(&arguments).output().unwrap())
    };
    let ended = breakdown(&["--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&told["lines"], &told["words"], &told["track"]), (&5.into(), &11.into(), &"latency".into()));
    assert_eq!(sum(&told["components"]), told["nanoseconds"].as_u64().unwrap());
    let tables = breakdown(&["--track", "throughput-1", "--batch", "64"]);
    for part in ["64 words at a time", "5 lines, 11 words", "component", "detokenise", "operator", "quantise"]
    {
        assert!(tables.stdout.contains(part), "{part:?} is not in {}", tables.stdout);
    }
    let shares = tables.stdout.lines().filter_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        fields.next().filter(|_| fields.next().is_some())?.parse::<f64>().ok()
    });
    let total: f64 = shares.sum();
    assert!((total - 200.0).abs() < 1.0, "two tables of 100 %: {total} in {}", tables.stdout);
    let null = ["breakdown", "--backend", "null", "tiny.en"];
    Ended::of(bench.dyno(&null).output().unwrap()).assert_says(2, &["null keeps no account of its time"]);
    let gone = ["breakdown", "--model", MODEL, "gone.en"];
    Ended::of(bench.dyno(&gone).output().unwrap()).assert_says(2, &["gone.en", "No such file"]);
}

#[test]
fn a_run_asks_each_cell_once_and_the_report_shows_it() {
    let bench = Bench::new(LATENCY);
    let system = format!("[[system]]\nname = \"it\"\nbackend = \"ssru\"\nmodel = {MODEL:?}\n");
    bench.write(
        "campaign.toml",
        format!("probes = []\n{LATENCY}{system}[[system]]\nname = \"null\"\nbackend = \"null\"\n"),
    );
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let told = read(&bench, "out/breakdowns.json");
    let [row] = &told.as_array().unwrap()[..] else { panic!("one system keeps account: {told}") };
    let cell = ["system", "test_set", "track"].map(|name| row[name].as_str().unwrap());
    assert_eq!(cell, ["it", "tiny", "latency"]);
    assert!(sum(&row["breakdown"]["operators"]) > 0);
    for record in bench.records() {
        assert!(!record["command"].to_string().contains("--breakdown"), "no clock ticks inside a round");
    }
    let page = fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("Share of the time by component, latency"));
}

#[test]
fn an_account_that_cannot_be_is_refused_by_what_is_wrong() {
    let bench = Bench::new(LATENCY);
    let Some(plugin) = misbehaving(&bench) else { return };
    for (mode, said) in [
        ("breakdown-odd", "integer `-7`"),
        ("breakdown-names", "has the part \"<b>\"; it may have tokenise"),
        ("breakdown-fail", "the cat sat on it"),
    ] {
        let arguments = ["breakdown", "--plugin", &plugin, "--set", &format!("mode={mode}"), "tiny.en"];
        Ended::of(bench.dyno(&arguments).output().unwrap()).assert_says(6, &["plugin.so", said]);
    }
}
