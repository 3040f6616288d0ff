//! What answers cost: CPU time for the words, memory after the last answer, a start from the disk. The system here
//! spends by the kernel's own clock of CPU time, so that its figures are known however busy the host is.

use std::fs;

use serde_json::Value;

use crate::support::{Bench, LATENCY};

/// Seconds of CPU time of a launch before its first line.
const LOADING: f64 = 0.25;

/// MiB that the system holds while it loads, and from then on.
const PASSING: u64 = 200;
const KEPT: u64 = 64;

/// A campaign of a system that uses a millisecond of CPU time for each word: a second for 1,000.
fn bench(tracks: &str) -> Bench {
    let script = format!(
        "import sys
from time import process_time
loading = b'x' * ({PASSING} << 20)
del loading
kept = b'x' * ({KEPT} << 20)
while process_time() < {LOADING}: pass
for line in sys.stdin:
    until = process_time() + 1e-3 * len(line.split())
    while process_time() < until: pass
    print(line, end='', flush=True)"
    );
    let bench = Bench::new(&format!(
        "probes = []\nnoisy-repeats = 0\ntracks = [{tracks}]\n\
         test-sets = [{{ name = \"lines\", source = \"lines.en\" }}]\n\
         [[system]]\nname = \"it\"\ncommand = [\"python3\", \"-c\", '''{script}''']\n"
    ));
    bench.write("lines.en", (0..40).map(|i| format!("A small dog runs {i}\n")).collect::<String>());
    bench
}

/// The cell of a run.
fn measured(bench: &Bench) -> Value {
    let ended = bench.run(&["--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let summary: Value = serde_json::from_str(&ended.stdout).unwrap();
    summary["cells"][0].clone()
}

fn assert_near(figure: &Value, expected: f64) {
    let figure = figure.as_f64().expect("a figure");
    assert!((figure / expected - 1.0).abs() < 0.08, "{figure}, expected {expected}");
}

/// Settled memory is what the interpreter and its data take; the peak has what loading took, too.
fn assert_settled(cell: &Value) {
    let [settled, peak] = ["settled_bytes", "peak_bytes"].map(|name| cell[name].as_u64().unwrap() >> 20);
    assert!((KEPT..KEPT + 40).contains(&settled) && peak >= PASSING, "{settled} and {peak} MiB");
}

#[test]
fn words_have_their_cpu_time_and_the_last_answer_its_memory_in_every_table() {
    let bench = bench("\"latency\"");
    let cell = measured(&bench);
    assert_near(&cell["cpu_seconds_per_1000_words"], 1.0);
    assert_settled(&cell);
    let csv = fs::read_to_string(bench.path("out/summary.csv")).unwrap();
    let (heads, row) = csv.split_once('\n').unwrap();
    for name in ["cpu_seconds_per_1000_words", "settled_bytes"] {
        let place = heads.split(',').position(|head| head == name).expect(name);
        let written: f64 = row.split(',').nth(place).unwrap().parse().unwrap();
        assert!((written / cell[name].as_f64().unwrap() - 1.0).abs() < 1e-9, "{name}: {written}");
    }
    for shown in [&["score", "out"][..], &["report", "out", "--markdown"]] {
        let text = String::from_utf8(bench.dyno(shown).output().unwrap().stdout).unwrap();
        assert!(text.contains("CPU s/kword") && text.contains("settled MiB"), "{text}");
    }
}

#[test]
#[ignore = "takes many seconds"]
fn a_launch_over_a_file_counts_with_its_loading_and_a_server_without() {
    let file = measured(&bench("\"throughput-1\""));
    assert_near(&file["cpu_seconds_per_1000_words"], 1.0 + LOADING / 200.0 * 1000.0);
    assert_eq!(file["settled_bytes"], Value::Null, "the system ends by itself");
    let server = measured(&bench("{ name = \"server\", limit-ms = 100, percentile = 50, rate = 150 }"));
    assert_near(&server["cpu_seconds_per_1000_words"], 1.0);
    assert_settled(&server);
}

#[test]
fn a_cold_start_has_a_column_of_its_own() {
    let bench = Bench::new(&format!(
        "cold-start = true\nprobes = []\n{LATENCY}[[system]]\nname = \"cat\"\ncommand = [\"cat\"]\n\
         model = \"weights\"\n"
    ));
    bench.write("weights", "x".repeat(1 << 20));
    let answer: Value = serde_json::from_str(&bench.run(&["--json"]).stdout).unwrap();
    let held: Vec<Option<u64>> =
        bench.records().iter().map(|record| record["cached_bytes"].as_u64()).collect();
    assert!(held.iter().all(|bytes| bytes.is_some_and(|bytes| bytes <= 1 << 20)), "{held:?}");
    // A file system in memory gives nothing up, and no start there is cold.
    let (cell, is_cold) = (&answer["cells"][0], held.iter().all(|bytes| *bytes == Some(0)));
    assert_eq!([cell["cold_start_ms"].is_f64(), cell["start_ms"].is_f64()], [is_cold, !is_cold], "{cell}");
    let run: Value = serde_json::from_slice(&fs::read(bench.path("out/run.json")).unwrap()).unwrap();
    assert_eq!(run["protocol"]["cold_start"], true);
}
