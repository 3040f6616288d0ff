//! The workers in `metrics/`, each beside an invented package that stands in for its metric.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::support::{Bench, Ended, path};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../metrics");

/// A run whose texts are scored by a shipped worker; `packages` holds invented Python packages and programs.
fn scored(worker: &[&str], packages: &[(&str, &str)]) -> (Bench, Value) {
    let program = format!("{FOLDER}/{}/worker.py", worker[0]);
    let words = [&["python3", program.as_str()], &worker[1..]].concat();
    let bench = Bench::new(&format!(
        "tracks = [\"latency\"]\nmetrics = [{{ name = \"it\", worker = {words:?} }}]\n\
         test-sets = [{{ name = \"set\", source = \"source\", references = [\"reference\"] }}]\nprobes = []\nnoisy-repeats = 0\n\
         [[system]]\nname = \"echo\"\nbackend = \"null\"\n"
    ));
    bench.write("source", "a b c\nd e\n");
    bench.write("reference", "a b x\nd e\n");
    bench.write("model.ckpt", "weights");
    for (name, text) in packages {
        let path = bench.path("packages").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let packages = bench.path("packages").display().to_string();
    let mut command = bench.dyno(&["run", "campaign.toml", "--out", "out", "--json"]);
    command.env("XDG_CACHE_HOME", bench.path("cache")).env("PYTHONPATH", &packages);
    command.env("PATH", format!("{packages}:{}", path()));
    let ended = Ended::of(command.output().unwrap());
    assert!(ended.code == Some(0) && !ended.stderr.contains("warning: no scores"), "{ended:?}");
    let answer = serde_json::from_str(&ended.stdout).expect("JSON");
    (bench, answer)
}

fn signature(bench: &Bench) -> String {
    let scores: Value = serde_json::from_slice(&fs::read(bench.path("out/scores.json")).unwrap()).unwrap();
    scores["scores"][0]["metrics"]["it"]["signature"].as_str().unwrap().to_owned()
}

/// A package that scores a line by its shared words, half of it in half precision, and talks on standard
/// output.
const COMET: &str = r#"
print("loading")
class Model:
    factor = 1
    def eval(self): pass
    def half(self): self.factor = 0.5
    def requires_references(self): return True
    def predict(self, rows, batch_size, gpus, progress_bar):
        print("predicting", batch_size, gpus)
        shared = lambda row: len(set(row["mt"].split()) & set(row["ref"].split())) / len(row["ref"].split())
        self.scores = [self.factor * shared(row) for row in rows]
        return self
def load_from_checkpoint(path):
    return Model()
"#;

#[test]
fn comets_worker_scores_as_its_command_with_version_and_precision_in_the_signature() {
    let package = |version: &str| {
        let facts = "Metadata-Version: 2.1\nName: unbabel-comet\nVersion: ".to_owned() + version + "\n";
        scored(
            &["comet", "--model", "model.ckpt"],
            &[
                ("comet/__init__.py", COMET),
                ("torch/__init__.py", "def set_float32_matmul_precision(name): pass\n"),
                ("unbabel_comet-1.dist-info/METADATA", &facts),
            ],
        )
    };
    for (version, precision, score) in [("2.2.4", "single", 5.0 / 6.0), ("2.2.7", "half", 5.0 / 12.0)] {
        let (bench, answer) = package(version);
        let quality = &answer["cells"][0]["quality"][0];
        assert!((quality["score"].as_f64().unwrap() - score).abs() < 1e-9, "{quality}");
        let signature = signature(&bench);
        for part in ["COMET|", &format!("version:{version}"), &format!("precision:{precision}"), "device:cpu"]
        {
            assert!(signature.contains(part), "{signature}");
        }
    }
}

#[test]
fn pymarians_worker_reads_a_score_a_line() {
    let program = r#"#!/usr/bin/env python3
import sys
if "--version" in sys.argv:
    sys.exit(print("pymarian v1.12.42"))
option = lambda name: sys.argv[sys.argv.index(name) + 1]
assert option("-a") == "skip" and option("-m") == "a-metric"
for s, t, r in zip(open(option("-s")), open(option("-t")), open(option("-r"))):
    print(len(t.split()) + 10 * (t == r))
"#;
    let (bench, answer) = scored(&["pymarian", "--model", "a-metric"], &[("pymarian-eval", program)]);
    assert_eq!(answer["cells"][0]["quality"][0]["score"], 7.5);
    assert!(signature(&bench).contains("version:v1.12.42|model:a-metric"));
}

#[test]
fn metricxs_worker_says_that_less_is_better() {
    let program = r#"
import json, sys
option = lambda name: sys.argv[sys.argv.index(name) + 1]
with open(option("--output_file"), "w") as told:
    for line in open(option("--input_file")):
        row = json.loads(line)
        row["prediction"] = 0.0 if row["hypothesis"] == row["reference"] else 25.0
        print(json.dumps(row), file=told)
"#;
    let packages = [("metricx24/__init__.py", ""), ("metricx24/predict.py", program)];
    let (_, answer) = scored(&["metricx", "--model", "m", "--tokenizer", "t"], &packages);
    assert_eq!(answer["cells"][0]["quality"][0]["score"], 12.5);
    assert_eq!(answer["metrics"][0]["direction"], "lower");
    assert_eq!(answer["metrics"][0]["range"], serde_json::json!([0.0, 25.0]));
}

#[test]
fn a_command_scores_lines_or_the_whole_text() {
    let lines = ["command", "--direction", "lower", "awk", "{print NF}", "{output}"];
    let (_, answer) = scored(&lines, &[]);
    let quality = &answer["cells"][0]["quality"][0];
    assert_eq!((quality["score"].as_f64(), quality["confidence"].is_number()), (Some(2.5), true));
    let whole =
        ["command", "sh", "-c", "echo; echo 'system score:' $(cat {source} {reference} {output} | wc -l)"];
    let (_, answer) = scored(&whole, &[]);
    let quality = &answer["cells"][0]["quality"][0];
    assert_eq!((quality["score"].as_f64(), quality["confidence"].is_null()), (Some(6.0), true));
}
