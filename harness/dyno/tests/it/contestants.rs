//! `dyno verify` against contestants that keep the rules and such that break them, one probe at a time. What is
//! judged by time is not asked here (those judgements are tested on samples): `ci/verify-sweep` asks everything.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{Bench, Ended, path};

const TIMED: [&str; 3] = ["cache", "coalescing", "recognition"];

/// A line of the table of contestants.
struct Case {
    contestant: &'static str,
    probe: &'static str,
    track: &'static str,
    code: &'static str,
}

fn cases() -> Vec<Case> {
    let table = include_str!("../contestants/expected.tsv").lines().filter(|line| !line.starts_with('#'));
    let case = |line: &'static str| match line.split('\t').collect::<Vec<_>>()[..] {
        [contestant, probe, track, code] => Case { contestant, probe, track, code },
        _ => panic!("four columns: {line}"),
    };
    table.map(case).collect()
}

/// Seconds that a line may take, and a launch: of who may hang, and of who doesn't, on however loaded a machine.
const BRIEF: [&str; 2] = ["4", "8"];
const PATIENT: [&str; 2] = ["30", "120"];

/// Verifies a contestant in the shipped checkout.
fn verify(contestant: &str, [line, launch]: [&str; 2], further: &[&str]) -> (Ended, Value) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let file = scratch.path().join("known");
    let contestants = "harness/dyno/tests/contestants/contestant.py";
    let command = format!("exec python3 {contestants} {contestant} {{track}} {}", file.display());
    let mut dyno = Command::new(env!("CARGO_BIN_EXE_dyno"));
    dyno.env("PATH", path());
    dyno.args(["verify", "--json", "--command", &command]);
    dyno.args(["--line-seconds", line, "--launch-seconds", launch]);
    let ended = Ended::of(dyno.args(further).current_dir(root).output().expect("dyno starts"));
    let verdict = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{contestant}: {ended:?}"));
    (ended, verdict)
}

fn codes(verdict: &Value) -> Vec<&str> {
    verdict["reasons"].as_array().unwrap().iter().map(|reason| reason["code"].as_str().unwrap()).collect()
}

/// Runs `judge` on each of `cases`, three at a time: most of their time they wait. Slow ones stand together in the
/// table, so that neighbours go to different workers.
fn for_each(cases: &[Case], judge: impl Fn(&Case) -> Option<String> + Sync) {
    let (judge, workers) = (&judge, 3);
    let own = |worker: usize| cases.iter().skip(worker).step_by(workers).filter_map(judge);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..workers).map(|worker| scope.spawn(move || own(worker).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a judge returns its verdict")).collect()
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
#[ignore = "a sweep of minutes"]
fn each_misbehaviour_is_refused_by_its_own_probe_with_its_own_code() {
    // Who takes two cores at once shows only where two are free.
    let is_timed = |case: &Case| TIMED.contains(&case.probe) || case.code == "cpu_share";
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.code != "-" && !is_timed(case)).collect();
    assert!(cases.len() >= 25);
    for_each(&cases, |case| {
        let track = ["--track", case.track];
        let track = if case.track == "both" { &[][..] } else { &track[..] };
        let (ended, verdict) = verify(case.contestant, BRIEF, &[&["--probe", case.probe], track].concat());
        let is_warning = ["length", "tracks_differ", "runaway"].contains(&case.code);
        let expected = if is_warning { (Some(0), "VALID") } else { (Some(1), "INVALID") };
        let told = (ended.code, verdict["verdict"].as_str().unwrap());
        let first = codes(&verdict).first().copied();
        let right = told == expected && first == Some(case.code);
        (!right).then(|| {
            format!("{} {} {}: {told:?} {}", case.contestant, case.probe, case.track, verdict["reasons"])
        })
    });
}

#[test]
#[ignore = "a sweep of minutes"]
fn honest_contestants_pass() {
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.code == "-").collect();
    assert!(cases.len() >= 8);
    for_each(&cases, |case| {
        let probes = ["--probe", "buffering", "--probe", "conformance", "--probe", "audit"];
        let (ended, verdict) = verify(case.contestant, PATIENT, &probes);
        let passed = ended.code == Some(0) && verdict["verdict"] == "VALID" && codes(&verdict).is_empty();
        (!passed).then(|| format!("{}: {}", case.contestant, verdict["reasons"]))
    });
}

/// A glance at the sweeps above: one system that keeps the rules, and one fault of each track.
#[test]
fn an_honest_contestant_passes_and_two_misbehaviours_are_refused() {
    let glance = [("honest_plain", "-"), ("reads_ahead", "buffering"), ("waits_for_eof", "buffering")];
    let known: Vec<Case> = cases();
    for (contestant, probe) in glance {
        let case =
            known.iter().find(|case| case.contestant == contestant && [probe, "-"].contains(&case.probe));
        let Some(case) = case else { panic!("{contestant} {probe} is in the table") };
        let probe = if probe == "-" { "buffering" } else { probe };
        let (_, verdict) = verify(case.contestant, PATIENT, &["--probe", probe]);
        let expected = if case.code == "-" { None } else { Some(case.code) };
        assert_eq!(codes(&verdict).first().copied(), expected, "{contestant}: {verdict}");
    }
}

#[test]
fn every_reason_says_figure_limit_and_remedy() {
    let (_, verdict) = verify("reads_ahead", PATIENT, &["--probe", "buffering", "--track", "latency"]);
    let reason = &verdict["reasons"][0];
    for key in ["figure", "limit", "remedy"] {
        assert!(reason[key].as_str().is_some_and(|text| !text.is_empty()), "{key} of {reason}");
    }
    assert_eq!(reason["track"], "latency");
    assert_eq!(reason["probe"], "buffering");
}

#[test]
fn reading_ahead_is_fine_where_files_are_passed() {
    let (ended, verdict) =
        verify("waits_for_eof", PATIENT, &["--probe", "conformance", "--track", "throughput-1"]);
    assert_eq!((ended.code, verdict["verdict"].as_str()), (Some(0), Some("VALID")), "{verdict}");
}

#[test]
fn conformance_names_the_line_in_lock_step_and_in_files() {
    let bench = Bench::new("");
    // Odd line 4 has tabs, and odd line 17 isn't UTF-8; this system splits the one and dies of the other.
    let kinds = [
        ("tr '\\t' '\\n'", "throughput-1", "line_count", "at odd line 4 (tabs): "),
        (
            "python3 -u -c 'import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line.decode().encode()); sys.stdout.buffer.flush()'",
            "throughput-1",
            "crashed",
            "at odd line 17 (invalid UTF-8): ",
        ),
        (
            "python3 -u -c 'import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line.decode().encode()); sys.stdout.buffer.flush()'",
            "latency",
            "crashed",
            "at odd line 17 (invalid UTF-8): ",
        ),
    ];
    for (command, track, code, place) in kinds {
        let arguments =
            ["verify", "--json", "--probe", "conformance", "--track", track, "--command", command];
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let ended = Ended::of(bench.dyno(&arguments).current_dir(root).output().unwrap());
        let verdict: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
        let reason = &verdict["reasons"][0];
        assert_eq!(reason["code"], code, "{verdict}");
        assert!(reason["figure"].as_str().unwrap().starts_with(place), "{verdict}");
    }
}

#[test]
fn the_table_names_probe_verdict_figure_limit_and_remedy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut dyno = Command::new(env!("CARGO_BIN_EXE_dyno"));
    dyno.env("PATH", path());
    dyno.args(["verify", "--command", "head -n 1", "--probe", "buffering"]).current_dir(root);
    let ended = Ended::of(dyno.output().expect("dyno starts"));
    assert_eq!(ended.code, Some(1));
    for part in ["buffering", "INVALID exited_early", "limit: ", "remedy: read lines until the end of input"]
    {
        assert!(ended.stdout.contains(part), "{part:?} is not in {ended:?}");
    }
}

#[test]
fn a_line_lost_among_odd_ones_is_the_figure_stands_once_and_ends_no_other_probe() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let asked = |further: &[&str]| {
        let probes = ["--probe", "conformance", "--probe", "determinism"];
        let tracks = ["--track", "throughput-1", "--track", "throughput-all"];
        let mut dyno = Command::new(env!("CARGO_BIN_EXE_dyno"));
        dyno.env("PATH", path());
        dyno.args(["verify", "--command", "sed '/^$/d'"]).args(probes).args(tracks).args(further);
        Ended::of(dyno.current_dir(&root).output().expect("dyno starts"))
    };
    let told: Value = serde_json::from_str(&asked(&["--json"]).stdout).unwrap();
    let (probes, skipped) = (&told["systems"][0]["probes"], &told["systems"][0]["skipped"]);
    let figure = probes[0]["figure"].as_str().unwrap();
    assert!(figure.starts_with("line_count: ") && figure.contains("lines out for"), "{told}");
    assert!(!figure.contains("answered one for one"), "{told}");
    let second = (probes[1]["probe"].as_str(), probes[1]["verdict"].as_str());
    assert_eq!(second, (Some("determinism"), Some("VALID")), "{told}");
    assert_eq!(skipped.as_array().map(Vec::len), Some(0), "{told}");
    let text = asked(&[]).stdout;
    assert_eq!(text.matches("lines out for").count(), 1, "two tracks have one fault: {text}");
    assert_eq!(text.matches("remedy: ").count(), 1, "{text}");
    assert!(text.contains("INVALID line_count (throughput-1, throughput-all): "), "{text}");
}

#[test]
fn the_figure_of_lengths_is_that_of_the_track_farthest_off() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // In lock-step one letter for each line, in files the line itself.
    let script = "case {track} in latency) exec sed -u 's/.*/x/';; *) exec cat;; esac";
    let ended = Bench::new("")
        .dyno(&["verify", "--json", "--probe", "length", "--command", script])
        .current_dir(root)
        .output()
        .unwrap();
    let verdict: Value = serde_json::from_slice(&ended.stdout).unwrap();
    let figure = verdict["systems"][0]["probes"][0]["figure"].as_str().unwrap();
    assert!(figure.starts_with("1 % ") || figure.starts_with("2 % "), "{verdict}");
}

#[test]
fn a_system_that_fails_is_not_launched_again_for_a_comparison() {
    let bench = Bench::new("");
    let script = format!("echo >>'{}'; exit 3", bench.path("launches").display());
    let arguments = ["--probe", "determinism", "--track", "throughput-1", "--command", script.as_str()];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ended = bench.dyno(&["verify", "--json"]).args(arguments).current_dir(root).output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    let launches = std::fs::read_to_string(bench.path("launches")).unwrap().lines().count();
    assert_eq!(launches, 2, "one tells its pace, one is the first of the two");
}
