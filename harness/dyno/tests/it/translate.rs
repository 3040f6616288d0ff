//! `dyno translate`: the contract of a system, from the system's side.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use dyno_record::Track;
use serde_json::Value;

use crate::support::{Bench, Ended, LATENCY, feed};

fn command(bench: &Bench, further: &[&str]) -> Command {
    bench.dyno(&[&["translate", "--backend", "null"], further].concat())
}

fn translate(input: &[u8], further: &[&str]) -> Ended {
    let bench = Bench::new(LATENCY);
    feed(command(&bench, further), input)
}

/// Input and the answers to it: one line for one line, whatever is in it.
pub const LINES: &[(&[u8], &str)] = &[
    (b"", ""),
    (b"\n", "\n"),
    (b"one\ntwo", "one\ntwo\n"),
    (b"dos\r\nend\r\n", "dos\nend\n"),
    (b"in\rside\n", "in side\n"),
    (b"a\xffb\n", "a\u{fffd}b\n"),
    ("line\u{2028}separator\u{85}inside\n".as_bytes(), "line\u{2028}separator\u{85}inside\n"),
    (b"tab\tnul\0\n", "tab\tnul\0\n"),
];

#[test]
fn every_track_answers_a_line_by_a_line() {
    for track in Track::ALL {
        for (input, expected) in LINES {
            let ended = translate(input, &["--track", track.name()]);
            assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), *expected), "{track} {input:?}");
        }
    }
}

#[test]
fn order_is_kept_over_workers_and_windows() {
    let input: String = (0..20_000).map(|i| format!("line {i}\n")).collect();
    for (cores, batch) in [("1", "256"), ("2", "1"), ("3", "50")] {
        let options = ["--track", "throughput-all", "--cores", cores, "--batch", batch];
        assert_eq!(translate(input.as_bytes(), &options).stdout, input, "{cores} workers");
    }
}

#[test]
fn the_latency_track_answers_before_the_next_line() {
    answers_before_the_next_line("latency");
}

#[test]
fn the_track_pages_answers_before_the_next_line() {
    answers_before_the_next_line("pages");
}

#[test]
fn the_track_server_answers_before_the_next_line() {
    answers_before_the_next_line("server");
}

fn answers_before_the_next_line(track: &str) {
    let bench = Bench::new(LATENCY);
    let mut command = command(&bench, &["--track", track]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for i in 0..10 {
        writeln!(stdin, "line {i}").unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert_eq!(answer, format!("line {i}\n"));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn facts_leave_as_json() {
    let bench = Bench::new(LATENCY);
    assert_eq!(feed(command(&bench, &["--facts", "facts.json"]), b"").code, Some(0));
    let facts: Value = serde_json::from_slice(&std::fs::read(bench.path("facts.json")).unwrap()).unwrap();
    assert_eq!(facts["backend"], "null");
    assert_eq!(facts["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn a_tuning_is_measured_once_and_changes_no_line() {
    let bench = Bench::new(LATENCY);
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/ssru");
    let translate = |further: &[&str]| {
        let arguments = [&["translate", "--model", model], further].concat();
        feed(bench.dyno(&arguments), b"A dog runs across the grass.\nTwo men talk.\n")
    };
    let plain = translate(&[]);
    let tuned = translate(&["--tune", "walks", "--explain"]);
    assert_eq!((tuned.code, &tuned.stdout), (Some(0), &plain.stdout));
    assert!(tuned.stderr.contains("times as fast"), "{}", tuned.stderr);
    let text = std::fs::read(bench.path("walks")).unwrap();
    assert_eq!(translate(&["--tuning", "walks"]).stdout, plain.stdout);
    assert_eq!(translate(&["--tune", "walks"]).stdout, plain.stdout);
    assert_eq!(std::fs::read(bench.path("walks")).unwrap(), text, "what is there isn't measured again");

    translate(&["--tuning", "nowhere"]).assert_says(2, &["can't take `tuning = \"nowhere\"`"]);
    bench.write("walks", "something else\n");
    translate(&["--tuning", "walks"]).assert_says(2, &["line 1", "no tuning", "make it anew"]);
    translate(&["--explain"]).assert_says(2, &["add --tuning or --tune"]);
}

#[test]
fn long_lines_are_translated_sentence_by_sentence_and_cuts_are_said() {
    let bench = Bench::new(LATENCY);
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/nano");
    let translate = |further: &[&str], input: &str| {
        feed(bench.dyno(&[&["translate", "--model", model], further].concat()), input.as_bytes())
    };
    let (one, two) = ("The train is late today.", "Where can I buy a ticket?");
    let alone = translate(&[], &format!("{one}\n{two}\n")).stdout;
    for track in ["latency", "throughput-1", "throughput-all", "server"] {
        let split = translate(&["--split-lines", "8", "--track", track], &format!("{one} {two}\n{two}\n"));
        let translations: Vec<&str> = alone.lines().collect();
        assert_eq!(split.stdout, format!("{} {1}\n{1}\n", translations[0], translations[1]), "{track}");
    }

    let words = "ticket ".repeat(40);
    let cut = translate(&["--set", "max-length=12", "--precision", "int8"], &format!("{words}\n{one}\n"));
    assert!(cut.stderr.contains("warning: 1 line was too long and lost words; --split-lines"), "{cut:?}");
    let whole = translate(&["--set", "max-length=12", "--precision", "int8", "--split-lines", "3"], &words);
    assert!(!whole.stderr.contains("too long"), "{whole:?}");
    translate(&["--split-lines", "8", "--n-best"], one).assert_says(2, &["split-lines", "n-best"]);
}

#[test]
fn what_the_backend_cannot_do_is_refused_by_name() {
    for (arguments, parts) in [
        (vec!["--set", "beam=4"], ["no setting `beam`", "word-us"]),
        (vec!["--set", "word-us=fast"], ["can't take `word-us = \"fast\"`", "a number"]),
        (vec!["--set", "word-us=-1"], ["can't take `word-us = -1`", "between 0"]),
        (vec!["--model", "x"], ["takes no model", "given 1"]),
        (vec!["--track", "latency", "--cores", "2"], ["uses one core", "throughput-all"]),
    ] {
        translate(b"x\n", &arguments).assert_says(2, &parts);
    }
}

#[test]
fn an_unknown_backend_is_refused_with_a_guess() {
    let bench = Bench::new(LATENCY);
    let ended = Ended::of(bench.dyno(&["translate", "--backend", "nul"]).output().unwrap());
    ended.assert_says(2, &["no backend \"nul\"", "did you mean \"null\"?"]);
}
