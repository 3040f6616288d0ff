//! What isn't known is refused by name.

use std::path::Path;

use dyno_api::Backend;
use dyno_formats::{MarianConfig, Weights};
use dyno_gru::ENGINE;
use dyno_nn::Params;
use dyno_nn::math::Kernels;
use dyno_translator::Switches;

/// The refusal of a model with `keys`.
fn refusal(keys: &str) -> String {
    let config =
        MarianConfig::from_yaml("model.yml", &format!("type: s2s\ndim-vocabs: [8, 8]\n{keys}")).unwrap();
    assert!((ENGINE.suits)(&config).unwrap());
    let mut empty = 2u64.to_le_bytes().to_vec(); // a safetensors file: a header of two bytes
    empty.extend(b"{}");
    let weights = Weights::from_bytes("weights", empty).unwrap();
    (ENGINE.load)(
        &config,
        Params::new(&weights, Kernels::best()),
        &Switches::defaults(ENGINE.customs.switches),
    )
    .err()
    .unwrap()
    .to_string()
}

#[test]
fn unknown_cells_and_encoders_are_named() {
    for (keys, named) in [
        ("enc-cell: sru", "the cell `sru`"),
        ("dec-cell: mlstm", "the cell `mlstm`"),
        ("enc-type: convolutional", "the encoder `convolutional`"),
        ("dec-attention-heads: 4", "`dec-attention-heads`"),
        ("dec-cell-base-depth: 1", "`dec-cell-base-depth`: is 1; 2 or more was expected"),
        ("dec-cell: gru-nematus\ndec-depth: 2\ndec-cell-high-depth: 2", "`dec-cell-high-depth`"),
        (
            "enc-cell: gru-nematus\nenc-cell-depth: 2\nenc-depth: 2\nenc-type: bi-unidirectional",
            "`enc-cell-depth`",
        ),
    ] {
        let refusal = refusal(keys);
        assert!(refusal.contains(named), "{keys}: {refusal}");
    }
}

#[test]
fn a_vocabulary_is_refused_where_the_model_brings_its_own() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/amun-ln/decoder.yml");
    let settings = [("vocab".to_owned(), "other.spm".into())].into_iter().collect();
    let refusal = ENGINE.open(&[model], &settings).err().unwrap().to_string();
    assert!(refusal.contains("`vocab = \"other.spm\"`") && refusal.contains("brings its own"), "{refusal}");
}

#[test]
fn a_missing_parameter_is_named() {
    assert!(refusal("").contains("decoder_ff_logit_l2_b"));
}
