//! Answers in JSON: each has a version and a name, and keeps docs/answer.schema.json.

use serde_json::{Value, json};

use crate::schema::faults;
use crate::support::{Bench, Ended, NULL_AND_CAT, skip};

const SCHEMA: &str = include_str!("../../../../docs/answer.schema.json");
const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/ssru");

/// A campaign with references, of two systems that keep the rules and one that doesn't.
fn campaign() -> Bench {
    let set = "test-sets = [{ name = \"tiny\", source = \"tiny.en\", references = [\"tiny.en\"] }]";
    let bad = "[[system]]\nname = \"bad\"\ncommand = [\"false\"]\n";
    Bench::new(&format!("tracks = [\"latency\"]\n{set}\n{NULL_AND_CAT}{bad}"))
}

/// Faults of `answer` against the schema of the answer `name`.
pub fn misfits(answer: &Value, name: &str) -> Vec<String> {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    faults(answer, &schema["$defs"][name], &schema, "")
}

fn answer(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

#[test]
fn every_answer_keeps_the_schema() {
    let bench = campaign();
    let commands: [(&str, &[&str], i32); 15] = [
        ("run", &["run", "campaign.toml", "--out", "out"], 1),
        ("run", &["run", "campaign.toml", "--out", "fine", "-s", "cat"], 0),
        ("dry-run", &["run", "campaign.toml", "--dry-run"], 0),
        (
            "verify",
            &[
                "verify",
                "campaign.toml",
                "-s",
                "bad",
                "-s",
                "cat",
                "--probe",
                "conformance",
                "--probe",
                "length",
            ],
            1,
        ),
        ("report", &["report", "out"], 0),
        ("compare", &["compare", "out", "fine"], 7),
        ("doctor", &["doctor"], -1),
        ("list", &["list", "campaign.toml"], 0),
        ("prices", &["list", "prices"], 0),
        ("tables", &["reproduce"], 0),
        ("publish", &["publish", "fine", "--to", "published", "--as", "fine"], 0),
        ("breakdown", &["breakdown", "--model", MODEL, "tiny.en"], 0),
        ("convert", &["convert", MODEL, "converted", "--precision", "int8"], 0),
        ("bundle", &["bundle", MODEL, "--dialect", "wmt22"], 0),
        ("gate", &["gate", "campaign.toml", "-s", "cat", "--baseline", "null", "--pairs", "9"], -1),
    ];
    for (name, arguments, code) in commands {
        let ended = Ended::of(bench.dyno(&[arguments, &["--json"]].concat()).output().unwrap());
        assert!(code == -1 || ended.code == Some(code), "{name}: {ended:?}");
        let answer = answer(&ended);
        assert_eq!((&answer["version"], &answer["answer"]), (&json!(1), &json!(name)), "{ended:?}");
        assert_eq!(misfits(&answer, name), Vec::<String>::new(), "{answer}");
        assert_eq!(misfits(&answer, "error").is_empty(), name == "error");
    }
    let scored = Ended::of(bench.dyno(&["score", "out", "--json"]).output().unwrap());
    match scored.code {
        Some(0) => assert_eq!(misfits(&answer(&scored), "score"), Vec::<String>::new()),
        _ => skip("no sacrebleu to be had: the answer of `dyno score` is not tried"),
    }
}

#[test]
fn warnings_have_one_shape_in_runs_and_in_verify() {
    let bench = campaign();
    let run = answer(&bench.run(&["--json", "-s", "bad"]));
    let verify = bench.dyno(&["verify", "campaign.toml", "-s", "bad", "--json"]).output().unwrap();
    let verify = answer(&Ended::of(verify));
    let (of_run, of_verify) = (&run["cells"][0]["reasons"][0], &verify["systems"][0]["reasons"][0]);
    for field in ["code", "figure", "limit", "remedy"] {
        assert!(of_run[field].is_string() && of_verify[field].is_string(), "{field}: {of_run} {of_verify}");
    }
    assert!(verify["systems"][0]["skipped"].as_array().unwrap().contains(&json!("recognition")), "{verify}");
}

#[test]
fn errors_are_answers_too() {
    let bench = campaign();
    for (arguments, code, error, remedy) in [
        (vec!["run", "gone.toml", "--json"], 2, "gone.toml", Some("give the path of a campaign file")),
        (vec!["compare", "gone", "gone", "--json"], 2, "gone", None),
        (vec!["run", "--json", "--unknown"], 2, "--unknown", None),
        (vec!["gate", "campaign.toml", "--baseline", "nul", "--json"], 2, "nul", None),
    ] {
        let ended = Ended::of(bench.dyno(&arguments).output().unwrap());
        assert_eq!(ended.code, Some(code), "{ended:?}");
        let answer = answer(&ended);
        assert_eq!(misfits(&answer, "error"), Vec::<String>::new(), "{answer}");
        assert!(answer["error"].as_str().unwrap().contains(error), "{answer}");
        let told = answer["remedy"].as_str().unwrap_or_default();
        assert!(remedy.is_none_or(|remedy| told.contains(remedy)), "{answer}");
        assert!(!ended.stderr.is_empty(), "people read standard error");
    }
    let plain = Ended::of(bench.dyno(&["run", "gone.toml"]).output().unwrap());
    assert_eq!((plain.code, plain.stdout.as_str()), (Some(2), ""));
}
