//! What isn't known, and what doesn't fit together, is refused by name.

use dyno_api::{Backend, Settings};
use dyno_formats::{MarianConfig, Weights};
use dyno_nn::Params;
use dyno_nn::math::Kernels;
use dyno_rnn_fc::ENGINE;
use dyno_translator::Switches;
use serde_json::{Value, json};

use crate::{home, models};

const SHAPE: &str = "dim-vocabs: [8, 8]\ndim-emb: 4\nsource-depth: 1\ndim-source: 4\ndim-target: 4\n\
                     dim-attention: 4\n";

/// The refusal of a model with `keys`.
fn refusal(keys: &str) -> String {
    let config = MarianConfig::from_yaml("model.toml", keys).unwrap();
    assert!((ENGINE.suits)(&config).unwrap());
    let mut empty = 2u64.to_le_bytes().to_vec(); // a safetensors file: a header of two bytes
    empty.extend(b"{}");
    let weights = Weights::from_bytes("weights", empty).unwrap();
    let switches = Switches::defaults(ENGINE.customs.switches);
    (ENGINE.load)(&config, Params::new(&weights, Kernels::best()), &switches).err().unwrap().to_string()
}

#[test]
fn shapes_that_are_not_known_or_do_not_fit_are_named() {
    for (keys, named) in [
        ("source-cell: sru", "`source-cell`: `sru` is not supported"),
        ("target-cell: mlstm", "`target-cell`: `mlstm` is not supported"),
        ("source-type: alternating", "`source-type`: `alternating` is not supported"),
        ("top: relu", "`top`: `relu` is not supported"),
        ("top-depth: 2", "`top-depth`: says nothing here"),
        ("top: none\ndim-top: 4", "`dim-top`: says nothing here"),
        ("top: gru\ntop-depth: 0", "`top-depth`: is 0"),
        ("dim-fc: 4", "`dim-fc`: says nothing here"),
        ("fc-depth: 3", "`dim-fc`: is missing"),
        ("fc-depth: many", "`fc-depth`: is `many`"),
        ("fc-deptj: 3", "`fc-deptj`: is no key of an rnn-fc"),
        ("dim-top: 5", "`tied-embeddings-all`: asks for a top as wide as the embeddings; 5 isn't 4"),
        ("skip: perhaps", "`skip`: is `perhaps`"),
    ] {
        let refusal = refusal(&format!("{SHAPE}{keys}"));
        assert!(refusal.contains(named), "{keys}: {refusal}");
    }
    for (from, to, named) in [
        ("dim-emb: 4", "", "`dim-emb`: is missing"),
        ("dim-target: 4", "dim-target: 0", "`dim-target`: is 0"),
        ("[8, 8]", "[8, 9]", "`dim-vocabs` has two sizes"),
        ("[8, 8]", "[8]", "`dim-vocabs`: must list"),
    ] {
        let refusal = refusal(&SHAPE.replace(from, to));
        assert!(refusal.contains(named), "{to}: {refusal}");
    }
}

#[test]
fn a_missing_parameter_is_named() {
    assert!(refusal(SHAPE).contains("output_b"));
}

/// Why `names` can't be opened with `settings`.
fn unopened(names: &[&str], settings: &Value) -> String {
    let settings: Settings = settings.as_object().unwrap().clone();
    ENGINE.open(&models(names), &settings).err().unwrap().to_string()
}

#[test]
fn settings_that_are_not_known_are_named() {
    let refusal = unopened(&["s1"], &json!({ "merged-state": true }));
    assert!(refusal.contains("did you mean `merged-states`?"), "{refusal}");
    let refusal = unopened(&["s1"], &json!({ "precomputed-embeddings": "all" }));
    assert!(refusal.contains("it must be a whole number"), "{refusal}");
}

#[test]
fn models_of_other_families_are_not_its_own() {
    assert!(ENGINE.suits(&home().join("s4")));
    assert!(!ENGINE.suits(&home().join("../../../gru/tests/goldens/amun-ln")));
    assert!(!dyno_gru::ENGINE.suits(&home().join("s4")));
}
