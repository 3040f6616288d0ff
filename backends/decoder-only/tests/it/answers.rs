//! The engine behind the contract: one line for each line, whatever the company.

use std::collections::BTreeMap;
use std::path::PathBuf;

use dyno_api::{Answer, Backend, Model, Settings};
use dyno_decoder_only::ENGINE;
use serde_json::json;

use crate::goldens::{MODELS, path};

pub fn settings(of: &serde_json::Value) -> Settings {
    of.as_object().unwrap().clone()
}

fn run(model: &dyn Model, lines: &[&str], together: usize) -> Vec<String> {
    let mut session = model.session().unwrap();
    let mut answers = Vec::new();
    for lines in lines.chunks(together) {
        let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
        let mut own = vec![None; lines.len()];
        session
            .run(&lines, &mut |answer: Answer<'_>| {
                assert_eq!((answer.rank, own[answer.line].replace(answer.text.to_owned())), (0, None));
            })
            .unwrap();
        answers.extend(own.into_iter().map(Option::unwrap));
    }
    answers
}

const LINES: [&str; 5] = ["The dog runs.", "", "a b c d e f g h", "Grüße aus Köln!", "x"];

#[test]
fn answers_are_one_line_each_and_the_same_in_any_company() {
    for name in MODELS {
        let open = |of| ENGINE.open(&[path(name)], &settings(&of)).unwrap();
        let model = open(json!({ "max-length": 20 }));
        let alone = run(&*model, &LINES, 1);
        assert!(alone.iter().all(|answer| !answer.contains('\n')), "{name}: {alone:?}");
        assert_eq!(run(&*model, &LINES, 5), alone, "{name}");
        assert_eq!(run(&*open(json!({ "max-length": 20, "threads": 2 })), &LINES, 2), alone, "{name}");
        let facts = model.facts();
        assert!(facts.counts["tokens written"] > 0 && facts.parameters > Some(10_000), "{facts:?}");
    }
}

#[test]
fn lines_join_others_and_get_the_same_answers() {
    let model = ENGINE.open(&[path("qwen2")], &settings(&json!({ "max-length": 12 }))).unwrap();
    let alone = run(&*model, &LINES, 1);
    let mut session = model.session().unwrap();
    let mut found = BTreeMap::new();
    let mut sink = |answer: Answer<'_>| drop(found.insert(answer.line, answer.text.to_owned()));
    for (at, line) in LINES.iter().enumerate() {
        session.admit(at, &[line.as_bytes()], &mut sink).unwrap();
        session.step(&mut sink).unwrap();
    }
    for _ in 0..20 {
        session.step(&mut sink).unwrap();
    }
    assert_eq!(found.into_values().collect::<Vec<_>>(), alone);
}

#[test]
fn a_long_line_is_cut_and_told() {
    let model = ENGINE.open(&[path("qwen3")], &Settings::new()).unwrap();
    let answers = run(&*model, &[&"long line ".repeat(1000), "x"], 2);
    assert_eq!((answers.len(), model.facts().cut_lines), (2, Some(1)));
}

#[test]
fn settings_that_can_t_be_honoured_are_refused() {
    for (of, said) in [
        (json!({ "prompt": "no place" }), "it must have {line} once"),
        (json!({ "prompt": "{target-language}: {line}" }), "set `target-language` too"),
        (json!({ "prompt": "{line}", "target-language": "German" }), "the prompt has no place"),
        (json!({ "max-length": 0 }), "a whole number from 1"),
        (json!({ "max-length-factor": -1 }), "above 0"),
        (json!({ "beam": 4 }), "has no setting `beam`"),
        (
            json!({ "prompt": format!("{{line}}{}", " long".repeat(300)) }),
            "the prompt takes all 256 positions",
        ),
    ] {
        let refusal = ENGINE.open(&[path("qwen2")], &settings(&of)).err().unwrap().to_string();
        assert!(refusal.contains(said), "{refusal}");
    }
    let two: Vec<PathBuf> = vec![path("qwen2"), path("qwen3")];
    assert!(ENGINE.open(&two, &Settings::new()).is_err());
    assert!(ENGINE.suits(&path("qwen2")) && !ENGINE.suits(&path("qwen2").with_extension("json")));
    ENGINE.open(&[path("qwen2")], &settings(&json!({ "target-language": "German" }))).unwrap();
}
