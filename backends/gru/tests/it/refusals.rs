//! What isn't known is refused by name.

use std::path::Path;

use dyno_api::Backend;
use dyno_formats::{MarianConfig, Weights};
use dyno_gru::ENGINE;
use dyno_nn::Params;
use dyno_nn::math::Kernels;
use dyno_translator::Switches;

#[test]
fn a_vocabulary_is_refused_where_the_model_brings_its_own() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/amun-ln/decoder.yml");
    let settings = [("vocab".to_owned(), "other.spm".into())].into_iter().collect();
    let refusal = ENGINE.open(&[model], &settings).err().unwrap().to_string();
    assert!(refusal.contains("`vocab = \"other.spm\"`") && refusal.contains("brings its own"), "{refusal}");
}

#[test]
fn a_missing_parameter_is_named() {
    let spec = MarianConfig::from_yaml("model.yml", "type: s2s\ndim-vocabs: [8, 8]").unwrap().spec().unwrap();
    let mut empty = 2u64.to_le_bytes().to_vec(); // a safetensors file: a header of two bytes
    empty.extend(b"{}");
    let weights = Weights::from_bytes("weights", empty).unwrap();
    let switches = Switches::defaults(ENGINE.customs.switches);
    let refusal = (ENGINE.load)(&spec, Params::new(&weights, Kernels::best()), &switches).err().unwrap();
    assert!(refusal.to_string().contains("decoder_ff_logit_l2_b"), "{refusal}");
}
