//! The patience of a run: INVALID systems are asked no more, slow and wordy systems get their time.

use std::fs;

use serde_json::Value;

use crate::support::{Bench, Ended, LATENCY};

/// A system that notes each of its launches in `launches`, and then fails.
const FAILING: &str = "[[system]]\nname = \"it\"\ncommand = [\"sh\", \"-c\", \"echo >> launches; exit 1\"]\n";

fn launches(bench: &Bench) -> usize {
    fs::read_to_string(bench.path("launches")).map_or(0, |text| text.lines().count())
}

fn refused(bench: &Bench) -> Vec<bool> {
    bench.records().iter().map(|record| record["refused"] == true).collect()
}

fn told_invalid(ended: &Ended) -> usize {
    ended.stderr.lines().filter(|line| line.contains("INVALID crashed")).count()
}

#[test]
fn a_system_that_a_probe_found_invalid_is_asked_no_more() {
    let bench = Bench::new(&format!("{LATENCY}{FAILING}"));
    let ended = bench.run(&[]);
    assert_eq!((ended.code, launches(&bench)), (Some(1), 1), "{ended:?}");
    assert_eq!(refused(&bench), [true; 3]);
    for record in bench.records() {
        assert_eq!(
            (&record["verdict"], &record["reasons"][0]["code"]),
            (&"INVALID".into(), &"crashed".into())
        );
    }
    assert_eq!(told_invalid(&ended), 1, "once: {ended:?}");
    assert!(ended.stderr.contains("--keep-going"), "{ended:?}");
    assert_eq!(bench.run(&[]).code, Some(2), "the run is finished");
}

#[test]
fn a_cell_that_a_round_found_invalid_is_asked_no_more() {
    let bench = Bench::new(&format!("probes = []\n{LATENCY}{FAILING}"));
    let ended = bench.run(&[]);
    assert_eq!((ended.code, launches(&bench)), (Some(1), 1), "{ended:?}");
    assert_eq!(refused(&bench), [false, true, true]);
    assert_eq!(told_invalid(&ended), 1, "once a cell: {ended:?}");
}

#[test]
fn keep_going_asks_on() {
    let bench = Bench::new(&format!("{LATENCY}{FAILING}"));
    let ended = bench.run(&["--keep-going"]);
    assert_eq!((ended.code, launches(&bench)), (Some(1), 4), "a probe and three rounds: {ended:?}");
    assert_eq!(refused(&bench), [false; 3]);
    let told = ended.stderr.lines().filter(|line| line.contains("latency · tiny: INVALID")).count();
    assert_eq!(told, 1, "once a cell: {ended:?}");
}

#[test]
#[ignore = "takes many seconds"]
fn one_track_or_system_that_is_refused_leaves_the_others() {
    let tracks = LATENCY.replace("\"latency\"", "\"latency\", \"throughput-1\"");
    let late = "[[system]]\nname = \"late\"\ncommand = [\"sh\", \"-c\", '''x=$(cat; echo .); printf %s \"${x%.}\"''']
[[system]]\nname = \"cat\"\ncommand = [\"cat\"]\n";
    let bench = Bench::new(&format!("probes = [\"buffering\"]\n{tracks}{late}"));
    bench.run(&[]);
    for record in bench.records() {
        let is_refused = record["system"] == "late" && record["track"] == "latency";
        assert_eq!(record["refused"] == true, is_refused, "{record}");
        assert_eq!(record["verdict"] == "INVALID", is_refused, "{record}");
    }
}

#[test]
fn a_system_isnt_judged_by_anothers_probes_whatever_their_names() {
    let systems = "[[system]]\nname = \"h\"\ncommand = [\"cat\"]\n
[[system]]\nname = \"h before its last round\"\ncommand = [\"false\"]\n";
    let bench = Bench::new(&format!("probes = [\"buffering\"]\n{LATENCY}{systems}"));
    assert_eq!(bench.run(&[]).code, Some(1));
    for record in bench.records() {
        assert_eq!(record["verdict"] == "INVALID", record["system"] != "h", "{record}");
    }
}

#[test]
fn an_over_long_line_may_take_its_time() {
    let script = "import sys, time
for line in sys.stdin:
    time.sleep(4.5 if len(line) > 8000 else 0)
    print(line, end='', flush=True)";
    let system = format!("[[system]]\nname = \"it\"\ncommand = [\"python3\", \"-c\", {script:?}]\n");
    let bench = Bench::new(&format!("line-seconds = 3.0\n{LATENCY}{system}"));
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for record in bench.records() {
        let warning = &record["warnings"][0];
        assert_eq!(warning["code"], "slow_line", "{record}");
        assert!(warning["figure"].as_str().unwrap().contains(" s for an over-long line of "), "{warning}");
    }
}

#[test]
fn a_dry_run_includes_probes_and_says_what_a_system_costs_at_most() {
    let bench = Bench::new(&format!("line-seconds = 3\nlaunch-seconds = 10\n{LATENCY}{FAILING}"));
    let told: Value = serde_json::from_str(&bench.run(&["--dry-run", "--json"]).stdout).unwrap();
    let seconds = |name: &str| told.pointer(name).and_then(Value::as_f64).unwrap();
    assert!(seconds("/probes_seconds") > 0.0 && seconds("/seconds") > seconds("/probes_seconds"), "{told}");
    assert_eq!(
        seconds("/ceiling/hanging"),
        24.0,
        "four times a line for loading, four times for the diagnosis"
    );
    assert!(seconds("/ceiling/slow") > 24.0, "{told}");
    let ended = bench.run(&["--dry-run"]);
    assert!(ended.stdout.contains("of it for probes"), "{ended:?}");
    assert!(ended.stdout.contains("a system costs at most") && ended.stdout.contains("one that hangs 0:24"));
    assert_eq!(launches(&bench), 0);
}

#[test]
fn verify_and_run_have_one_rule_for_long_answers() {
    let wordy = "[[system]]\nname = \"it\"\ncommand = [\"sed\", \"-u\", \"s/.*/& & & &/\"]\n";
    let head = format!("probes = [\"length\"]\n{LATENCY}");
    let verified = |bench: &Bench| {
        let verify =
            bench.dyno(&["verify", "campaign.toml", "--json", "--probe", "length"]).output().unwrap();
        let told: Value = serde_json::from_slice(&verify.stdout).unwrap();
        (told["verdict"].clone(), told["reasons"][0]["code"].clone())
    };
    let bench = Bench::new(&format!("{head}{wordy}"));
    assert_eq!(bench.run(&[]).code, Some(0));
    assert_eq!(bench.records()[0]["warnings"][0]["code"], "runaway");
    assert_eq!(verified(&bench), ("VALID".into(), "runaway".into()));
    let allowed = Bench::new(&format!("runaway-factor = 5\n{head}{wordy}"));
    assert_eq!(allowed.run(&[]).code, Some(0));
    assert!(allowed.records().iter().all(|record| record["warnings"].is_null()), "it may be wordy");
    assert_eq!(verified(&allowed), ("VALID".into(), Value::Null));
}
