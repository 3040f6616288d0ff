//! The track `server`: lines come at any time, and join those that are being translated.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use dyno_stats::Random;

use crate::support::{Bench, LATENCY, feed};

const HOME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The first lines of the starter set, with an empty line and one that is far longer than the others.
fn lines() -> Vec<String> {
    let set = std::fs::read_to_string(format!("{HOME}/testsets/everyday-en-de/source.en")).unwrap();
    let mut lines: Vec<String> = set.lines().take(60).map(str::to_owned).collect();
    lines[7].clear();
    lines[11] = lines[12..18].join(" ");
    lines
}

/// A server with this shipped model.
fn start(bench: &Bench, model: &str, further: &[&str]) -> (Child, ChildStdin, BufReader<ChildStdout>) {
    let model = format!("{HOME}/models/{model}");
    let arguments = [&["translate", "--model", &model, "--track", "server"], further].concat();
    let mut command = bench.dyno(&arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    (child, stdin, BufReader::new(stdout))
}

/// The answers to `lines`, which are written in small groups at random times.
fn served(lines: &[String], model: &str, further: &[&str], random: &mut Random) -> String {
    let bench = Bench::new(LATENCY);
    let (mut child, mut stdin, mut stdout) = start(&bench, model, further);
    let mut text = String::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut rest = lines;
            while !rest.is_empty() {
                let (group, later) = rest.split_at(rest.len().min(1 + random.below(5)));
                stdin.write_all((group.join("\n") + "\n").as_bytes()).unwrap();
                std::thread::sleep(Duration::from_micros(random.below(3000) as u64));
                rest = later;
            }
            drop(stdin);
        });
        stdout.read_to_string(&mut text).unwrap();
    });
    assert!(child.wait().unwrap().success(), "{further:?}");
    text
}

#[test]
fn answers_are_those_of_the_latency_track_in_order() {
    let (lines, bench, mut random) = (lines(), Bench::new(LATENCY), Random::new(7, "serving"));
    for (model, searches) in [
        ("ssru", &[&[][..], &["--beam", "3", "--n-best"]][..]),
        ("selfatt", &[&[]]),
        ("gru", &[&["--beam", "2"]]),
        ("rnn-fc", &[&["--beam", "2"]]),
    ] {
        for search in searches {
            let path = format!("{HOME}/models/{model}");
            let alone = [&["translate", "--model", &path, "--track", "latency"], *search].concat();
            let alone = feed(bench.dyno(&alone), lines.join("\n").as_bytes());
            assert_eq!(alone.code, Some(0), "{alone:?}");
            for further in [&[][..], &["--cores", "2"], &["--batch-lines", "3"]] {
                let together = served(&lines, model, &[search, further].concat(), &mut random);
                assert_eq!(together, alone.stdout, "{model} {search:?} {further:?}");
            }
        }
    }
}

#[test]
fn a_line_is_answered_while_the_input_stays_open() {
    let bench = Bench::new(LATENCY);
    for further in [&[][..], &["--cores", "2"]] {
        let (mut child, mut stdin, mut stdout) = start(&bench, "ssru", further);
        for line in &lines()[..5] {
            writeln!(stdin, "{line}").unwrap();
            let mut answer = String::new();
            stdout.read_line(&mut answer).unwrap();
            assert!(answer.ends_with('\n') && answer.len() > 1, "{answer:?}");
        }
        write!(stdin, "A dog runs.").unwrap();
        drop(stdin);
        let mut last = String::new();
        stdout.read_to_string(&mut last).unwrap();
        assert_eq!(last.lines().count(), 1, "the end of the input ends a line");
        assert!(child.wait().unwrap().success());
    }
}
