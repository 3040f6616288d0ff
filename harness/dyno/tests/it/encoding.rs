//! Encoders on the bench: their answers are vectors, and Spearman's correlation is their quality.

use serde_json::Value;

use crate::support::{Bench, LATENCY, feed};

/// A tiny random BERT.
const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../backends/encoder/tests/goldens/bert");

/// An encoder that counts letters. `uneven` gives long lines a longer vector.
const ENCODER: &str = "import base64, struct, sys
for line in sys.stdin.buffer:
    counts = [1.0 + sum(byte % 16 == place for byte in line) for place in range(16)]
    if 'uneven' in sys.argv and len(line) > 30:
        counts.append(0.0)
    print(base64.b64encode(struct.pack(f'<{len(counts)}f', *counts)).decode(), flush=True)
";

fn bench(tracks: &str) -> Bench {
    let bench = Bench::new(&format!(
        r#"
noisy-repeats = 0
tracks = {tracks}
test-sets = [{{ name = "sts", pairs = "pairs.csv" }}]
[[system]]
name = "engine"
backend = "encoder"
model = {MODEL:?}
[[system]]
name = "letters"
command = ["python3", "encode.py"]
task = "encode"
tracks = ["latency"]
[[system]]
name = "uneven"
command = ["python3", "encode.py", "uneven"]
task = "encode"
"#
    ));
    bench.write("encode.py", ENCODER);
    let pairs: String = ["dog", "cat", "bird", "fish", "horse", "mouse"]
        .iter()
        .enumerate()
        .map(|(at, animal)| {
            format!("\"A {animal} sleeps, here.\",The {animal}{} sleeps.,{at}\n", "s".repeat(at))
        })
        .collect();
    bench.write("pairs.csv", pairs);
    bench
}

/// Spearman's correlation of a cell.
fn spearman(cell: &Value) -> &Value {
    let figures = cell["quality"].as_array().expect("figures");
    figures.iter().find(|figure| figure["metric"] == "spearman").expect("a correlation")
}

#[test]
fn vectors_are_judged_as_vectors_and_scored_by_spearman() {
    let bench = bench(r#"["latency", "latency-all"]"#);
    let ended = bench.run(&["--json"]);
    assert_eq!(ended.code, Some(1), "one of them is INVALID: {ended:?}");
    let summary: Value = serde_json::from_str(&ended.stdout).unwrap();
    let cells = summary["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 5);
    for cell in cells {
        if cell["system"] == "uneven" {
            assert_eq!(cell["verdict"], "INVALID", "{cell}");
            assert_eq!(cell["reasons"][0]["code"], "not_a_vector", "{cell}");
            continue;
        }
        assert_ne!(cell["verdict"], "INVALID", "{cell}");
        assert_eq!(cell["quality"].as_array().map(Vec::len), Some(1), "nothing is judged as a text: {cell}");
        let figure = spearman(cell);
        let (score, half) = (figure["score"].as_f64().unwrap(), figure["confidence"].as_f64().unwrap());
        assert!((-1.0..=1.0).contains(&score) && half >= 0.0, "{cell}");
    }
    let of = |track: &str| cells.iter().find(|c| c["system"] == "engine" && c["track"] == track).unwrap();
    assert_eq!(spearman(of("latency")), spearman(of("latency-all")));
    let scores: Value =
        serde_json::from_slice(&std::fs::read(bench.path("out/scores.json")).unwrap()).unwrap();
    assert_eq!(scores["metrics"][0]["needs"], "gold", "{scores}");
    // The run's folder alone has all that the scores need.
    let again = bench.dyno(&["report", "out"]).output().unwrap();
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
}

#[test]
fn all_cores_work_on_a_line_where_the_engine_can() {
    let bench = bench(r#"["latency", "latency-all"]"#);
    let ended = bench.run(&["--json", "-s", "engine"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let records = bench.records();
    let cores = |track: &str| -> Vec<usize> {
        let of_track = records.iter().filter(|record| record["track"] == track);
        of_track.map(|record| record["system_cores"].as_array().map_or(0, Vec::len)).collect()
    };
    assert_eq!(cores("latency"), [1; 3]);
    let several = std::thread::available_parallelism().map_or(1, usize::from);
    assert!(cores("latency-all").iter().all(|&used| (1..=several).contains(&used)), "{records:?}");
    let summary: Value = serde_json::from_str(&ended.stdout).unwrap();
    let spearmans: Vec<&Value> = summary["cells"].as_array().unwrap().iter().map(spearman).collect();
    assert_eq!(spearmans[0]["score"], spearmans[1]["score"], "threads change no vector");
}

#[test]
fn an_engine_that_keeps_to_one_core_says_so() {
    let bench = Bench::new(LATENCY);
    let translate = |backend: &[&str]| {
        let options = [backend, &["--track", "latency-all", "--cores", "2"]].concat();
        feed(bench.dyno(&[&["translate"], &options[..]].concat()), b"a line\n")
    };
    let ended = translate(&["--backend", "null"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "a line\n"));
    assert!(ended.stderr.contains("null works on each line with one core"), "{ended:?}");
    let translator = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/ssru");
    for model in [&["--model", MODEL][..], &["--model", translator, "--precision", "int8"]] {
        let ended = translate(model);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    }
}

#[test]
fn tasks_and_pairs_that_make_no_sense_are_refused() {
    let bench = bench(r#"["latency"]"#);
    let campaign = std::fs::read_to_string(bench.path("campaign.toml")).unwrap();
    bench.write(
        "campaign.toml",
        campaign.replace("backend = \"encoder\"", "backend = \"encoder\"\ntask = \"encode\""),
    );
    bench.run(&[]).assert_says(2, &["leave `task` out"]);
    bench.write("campaign.toml", campaign);
    bench.write("pairs.csv", "a,b,c\nd,e,1\n");
    bench.run(&[]).assert_says(2, &["pairs.csv", "row 1"]);
}
