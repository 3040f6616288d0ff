//! Metrics of other programs: workers that speak JSON lines.

use std::fs;

use serde_json::Value;

use crate::support::{Bench, Ended};

const DOCUMENT: &str = include_str!("../../../../docs/BRING-YOUR-OWN.md");

const CAMPAIGN: &str = r#"
tracks = ["latency"]
metrics = [{ name = "words", worker = ["python3", "worker.py"] }]
test-sets = [{ name = "two", source = "source", references = ["reference"] }]
probes = []
noisy-repeats = 0
[[system]]
name = "echo"
backend = "null"
[[system]]
name = "short"
command = ["sed", "-u", "s/ .*//"]
"#;

/// The worker that the document shows.
fn documented() -> &'static str {
    let section = DOCUMENT.split("## A metric of your own").nth(1).expect("the document has that section");
    let code = section.split("```python\n").nth(1).expect("the section shows a worker");
    code.split("```").next().unwrap()
}

fn bench(worker: &str) -> Bench {
    let bench = Bench::new(CAMPAIGN);
    bench.write("source", "a b c d\ne f g h\ni j k l\n");
    bench.write("reference", "a b c x\ne f y z\ni q r s\n");
    bench.write("worker.py", worker);
    bench
}

fn dyno(bench: &Bench, arguments: &[&str]) -> Ended {
    let mut command = bench.dyno(arguments);
    Ended::of(command.env("XDG_CACHE_HOME", bench.path("cache")).output().unwrap())
}

fn run(bench: &Bench) -> Ended {
    dyno(bench, &["run", "campaign.toml", "--out", "out", "--json"])
}

fn score_of(ended: &Ended, row: usize) -> Value {
    let answer: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    answer["cells"][row]["quality"][0].clone()
}

#[test]
fn the_documented_worker_scores_lines_and_feeds_the_bootstrap() {
    assert!(documented().trim().lines().count() <= 15, "a metric of one's own is at most 15 lines");
    let bench = bench(documented());
    let ended = run(&bench);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    // Shared words over all words of both sides, line by line: 3/5, 2/6, 1/7; and 1/4 each for the first
    // words.
    for (row, expected) in [(0, (3.0 / 5.0 + 2.0 / 6.0 + 1.0 / 7.0) / 3.0), (1, 0.25)] {
        let quality = score_of(&ended, row);
        assert!((quality["score"].as_f64().unwrap() - expected).abs() < 1e-9, "{quality}");
        assert!(quality["confidence"].is_number(), "{quality}");
    }
    let scores: Value = serde_json::from_slice(&fs::read(bench.path("out/scores.json")).unwrap()).unwrap();
    assert!(scores["pairs"][0]["metrics"]["words"]["p"].is_number(), "{scores}");
    let table = dyno(&bench, &["score", "out"]).stdout;
    assert!(table.lines().any(|line| line.starts_with("system") && line.contains("words ")), "{table}");
    let csv = fs::read_to_string(bench.path("out/summary.csv")).unwrap();
    assert!(csv.lines().next().unwrap().contains("words,words_confidence,words_low,words_high"), "{csv}");
}

#[test]
fn a_run_without_a_null_system_says_what_its_source_scores() {
    let bench = bench(documented());
    let said = "the source of two as its own translation: words 0.3587";
    let with_echo = dyno(&bench, &["run", "campaign.toml", "--out", "both"]);
    assert!(!with_echo.stdout.contains("as its own translation"), "its row says it: {}", with_echo.stdout);
    bench.write("campaign.toml", CAMPAIGN.replace("[[system]]\nname = \"echo\"\nbackend = \"null\"\n", ""));
    let ended = dyno(&bench, &["run", "campaign.toml", "--out", "alone"]);
    assert!(ended.stdout.contains(said), "{ended:?}");
    let page = fs::read_to_string(bench.path("alone/report.html")).unwrap();
    assert!(page.contains("(the source itself)"), "the report's table has a row for it");
}

/// A worker that writes its requests to a file.
const LOGGING: &str = r#"
import json, sys
for line in sys.stdin:
    ask = json.loads(line)
    print(ask["ask"], file=open("log", "a"))
    if ask["ask"] == "init":
        print(json.dumps({"name": "edits", "version": "1", "direction": "lower"}), flush=True)
    elif ask["ask"] == "score":
        print(json.dumps({"segments": [len(line) for line in ask["hypothesis"]]}), flush=True)
    else:
        break
"#;

fn log(bench: &Bench) -> Vec<String> {
    let text = fs::read_to_string(bench.path("log")).unwrap_or_default();
    fs::remove_file(bench.path("log")).ok();
    text.lines().map(Into::into).collect()
}

#[test]
fn a_worker_starts_once_and_scores_a_text_once() {
    let bench = bench(LOGGING);
    assert_eq!(run(&bench).code, Some(0));
    assert_eq!(log(&bench), ["init", "score", "score", "shutdown"]);
    fs::remove_file(bench.path("out/scores.json")).unwrap();
    assert_eq!(dyno(&bench, &["score", "out"]).code, Some(0));
    assert_eq!(log(&bench), ["init", "shutdown"], "kept answers");
    fs::remove_file(bench.path("out/scores.json")).unwrap();
    bench.write("worker.py", LOGGING.replace("len(line)", "1 + len(line)"));
    let ended = dyno(&bench, &["score", "out", "--json"]);
    assert_eq!(log(&bench), ["init", "score", "score", "shutdown"], "another worker");
    assert_eq!(score_of(&ended, 0)["score"], 8.0);
    assert_eq!(dyno(&bench, &["score", "out"]).code, Some(0));
    assert_eq!(log(&bench), Vec::<String>::new(), "all is scored");
    let by_name = dyno(&bench, &["score", "out", "--metric", "words=python3 worker.py"]);
    assert_eq!((by_name.code, log(&bench).first().map(String::as_str)), (Some(0), Some("init")), "asked for");
}

#[test]
fn a_metric_that_fails_keeps_its_earlier_scores() {
    let bench = bench(LOGGING);
    assert_eq!(run(&bench).code, Some(0));
    let earlier = score_of(&dyno(&bench, &["score", "out", "--json"]), 0);
    bench.write("worker.py", "raise SystemExit('no model here')");
    bench.write("second.py", LOGGING);
    let failed = dyno(&bench, &["score", "out", "--metric", "second=python3 second.py"]);
    failed.assert_says(2, &["no model here"]);
    let scores: Value = serde_json::from_slice(&fs::read(bench.path("out/scores.json")).unwrap()).unwrap();
    let of_first = &scores["scores"][0]["metrics"];
    assert!(of_first["second"]["score"].is_number() && of_first["words"]["score"].is_number(), "{scores}");
    assert!(scores["pairs"][0]["metrics"]["words"]["p"].is_number(), "{scores}");
    bench.write("worker.py", LOGGING);
    assert_eq!(score_of(&dyno(&bench, &["score", "out", "--json"]), 0), earlier);
}

#[test]
fn a_metric_that_fails_is_no_metric_of_the_run() {
    let bench = bench(LOGGING);
    assert_eq!(run(&bench).code, Some(0));
    let files =
        || ["metrics", "scores"].map(|name| fs::read(bench.path(&format!("out/{name}.json"))).unwrap());
    let before = files();
    for mistyped in ["second=python3 missing.py", "words=python3 missing.py"] {
        dyno(&bench, &["score", "out", "--metric", mistyped]).assert_says(2, &["missing.py"]);
        assert!(files() == before, "{mistyped}");
        assert_eq!(dyno(&bench, &["score", "out"]).code, Some(0), "{mistyped} is asked no more");
    }
}

#[test]
fn a_set_that_a_metric_cannot_score_is_asked_once() {
    let bench = bench(LOGGING);
    bench.write("campaign.toml", CAMPAIGN.replace(", references = [\"reference\"]", ""));
    assert_eq!(run(&bench).code, Some(0));
    assert_eq!(log(&bench), ["init", "shutdown"], "the metric needs references");
    assert_eq!(dyno(&bench, &["score", "out"]).code, Some(0));
    assert_eq!(log(&bench), Vec::<String>::new(), "it said so");
}

#[test]
fn what_a_worker_does_wrong_is_told_and_speeds_stay() {
    let init = "{\"name\": \"m\", \"version\": \"1\", \"direction\": \"higher\"}";
    let after = |answer: &str| {
        format!("import sys\ninput(); print('{init}', flush=True); input(); print({answer}, flush=True)")
    };
    let bench = bench("raise SystemExit('no model here')");
    let ended = run(&bench);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let warning = ended.stderr.lines().find(|line| line.starts_with("warning: ")).unwrap_or_default();
    assert!(warning.contains("metric words") && warning.contains("no model here"), "{ended:?}");
    assert!(score_of(&ended, 0)["score"].is_null());
    for (worker, part) in [
        ("raise SystemExit('no model here')".into(), "no model here"),
        ("print('loading …', flush=True); input()".into(), "one JSON object a line"),
        ("input(); print('{\"name\": \"m\"}', flush=True)".into(), "missing field `version`"),
        (after("'{\"segments\": [1, 2]}'"), "2 segment scores for 3 lines"),
        (after("'{\"segments\": [1, 2, 3], \"score\": 5}'"), "not the mean 2"),
        (after("'{}'"), "neither `segments` nor `score`"),
        (after("'{\"error\": \"out of memory\"}'"), "out of memory"),
        ("import sys\nwhile True: sys.stdout.write('x' * 65536)".into(), "more than 1048576 bytes"),
        (
            "import sys\nfor _ in range(99): sys.stderr.write('x' * 65536)\nraise SystemExit('\\nno room')"
                .into(),
            "no room",
        ),
        // Its child holds the pipes.
        ("import subprocess\nsubprocess.Popen(['sleep', '1000'])".into(), "ended without an answer"),
    ] {
        bench.write("worker.py", &worker);
        fs::remove_file(bench.path("out/scores.json")).unwrap();
        dyno(&bench, &["score", "out"]).assert_says(2, &["metric words", part]);
    }
}

#[test]
fn an_endless_answer_is_named_and_not_scored() {
    let bench = bench(LOGGING);
    let endless = "import sys\nfor line in sys.stdin: print('x' * 100_000, flush=True)";
    let third = format!("[[system]]\nname = \"endless\"\ncommand = [\"python3\", \"-c\", {endless:?}]\n");
    bench.write("campaign.toml", format!("{CAMPAIGN}{third}"));
    let ended = run(&bench);
    assert!(
        ended.stderr.contains("warning: no score of endless on two: answer 1 has 100000 bytes"),
        "{ended:?}"
    );
    assert!(score_of(&ended, 0)["score"].is_number() && score_of(&ended, 2)["score"].is_null(), "{ended:?}");
    assert_eq!(log(&bench), ["init", "score", "score", "shutdown"]);
}

#[test]
fn a_bad_list_of_metrics_is_refused_by_line() {
    for (list, part) in [
        ("[\"blue\"]", "a metric is bleu"),
        ("[]", "`metrics` is empty"),
        ("[\"bleu\", \"bleu\"]", "a second metric bleu"),
        ("[{ name = \"m\", worker = [\"gone.py\"] }]", "no program \"gone.py\""),
        ("[{ name = \"a b\", worker = [\"cat\"] }]", "is no name for a worker"),
        ("[{ name = \"ter\", worker = [\"cat\"] }]", "none of dyno's own"),
    ] {
        let campaign =
            CAMPAIGN.replace("[{ name = \"words\", worker = [\"python3\", \"worker.py\"] }]", list);
        let bench = bench(LOGGING);
        bench.write("campaign.toml", campaign);
        run(&bench).assert_says(2, &["campaign.toml:3:", part]);
    }
}
