//! The engine against the reference's answers (ci/rnn-fc-reference.py, see goldens/README.md), with and
//! without each of its techniques.

#![allow(clippy::unwrap_used)] // helpers of tests fail like tests

mod allocations;
mod counts;
mod refusals;
mod switches;

use std::path::{Path, PathBuf};

use dyno_parity::{Goldens, check_threads};
use dyno_rnn_fc::ENGINE;
use serde_json::{Value, json};

/// The paper's systems, and its ensembles.
const SYSTEMS: [(&str, &[&str]); 11] = [
    ("s1", &["s1"]),
    ("s2", &["s2"]),
    ("s3", &["s3"]),
    ("s4", &["s4"]),
    ("s4b", &["s4b"]),
    ("s4c", &["s4c"]),
    ("s5", &["s5"]),
    ("s6", &["s6"]),
    ("s7", &["s7"]),
    ("e1", &["s4", "s4b"]),
    ("e2", &["s4", "s4b", "s4c"]),
];

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens")
}

fn goldens() -> Goldens {
    // The models are directories, which have their own vocabularies.
    Goldens {
        input: home().join("input.en"),
        vocabulary: PathBuf::new(),
        shortlist: Some(home().join("lex.s2t")),
    }
}

fn models(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(|name| home().join(name)).collect()
}

/// The paper's beam, and dyno's normalisation.
fn beam() -> Value {
    json!({ "beam": 6, "normalize": 0.6 })
}

fn with(mut settings: Value, more: &Value) -> Value {
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    settings
}

/// Compares everything that the reference says of each system, with `more` set besides.
fn check(more: &Value) {
    for (name, members) in SYSTEMS {
        let (goldens, models, home) = (goldens(), models(members), home().join(name));
        let lines = |settings: Value, expected: &str| {
            assert!(home.join(expected).is_file(), "{name}/{expected}");
            goldens.check_lines(&ENGINE, &models, &with(settings, more), &home.join(expected));
        };
        lines(json!({ "beam": 1 }), "greedy.out");
        lines(with(beam(), &json!({ "early-stop": 3.0 })), "beam6.early.out");
        lines(with(beam(), &json!({ "replace-unknown": true })), "beam6.replaced.out");
        let candidates = json!([home.with_file_name("lex.s2t"), 2, 20, 0]);
        lines(with(beam(), &json!({ "shortlist": candidates })), "beam6.candidates.out");
        let settings = with(with(beam(), &json!({ "n-best": true })), more);
        goldens.check_n_best(&ENGINE, &models, &settings, &home.join("beam6.nbest"));
    }
}

#[test]
fn every_system_translates_as_the_reference() {
    check(&json!({}));
}

#[test]
fn threads_change_no_bit_and_allocate_nothing() {
    check_threads(&ENGINE, "rnn-fc");
}

#[test]
fn lines_that_join_a_running_batch_have_the_answers_of_lines_alone() {
    for (_, members) in SYSTEMS {
        goldens().check_joining(&ENGINE, &models(members));
    }
}

#[test]
#[ignore = "a sweep: the plain form of the kernels takes its time"]
fn a_line_has_one_translation_in_any_batch_and_on_any_instruction_set() {
    ["s1", "s4", "s5", "s7"].iter().for_each(|name| goldens().check_everywhere(&ENGINE, &home().join(name)));
}
