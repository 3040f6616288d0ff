//! What isn't known, and what doesn't fit together, is refused by name.

use dyno_api::{Backend, Settings};
use dyno_formats::{ModelDir, Weights};
use dyno_nn::Params;
use dyno_nn::math::Kernels;
use dyno_rnn_fc::ENGINE;
use dyno_translator::Switches;
use serde_json::{Value, json};

use crate::{home, models};

#[test]
fn a_missing_parameter_is_named() {
    let spec = ModelDir::open(home().join("s4")).unwrap().spec().unwrap();
    let mut empty = 2u64.to_le_bytes().to_vec(); // a safetensors file: a header of two bytes
    empty.extend(b"{}");
    let weights = Weights::from_bytes("weights", empty).unwrap();
    let switches = Switches::defaults(ENGINE.customs.switches);
    let refusal = (ENGINE.load)(&spec, Params::new(&weights, Kernels::best()), &switches).err().unwrap();
    assert!(refusal.to_string().contains("output_b"), "{refusal}");
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
