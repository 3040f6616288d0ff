//! The engine against Marian's own outputs, and against those of Hugging Face's transformers.

#![allow(clippy::unwrap_used)] // a test fails by a panic

mod ctranslate2;
mod hugging_face;
mod refusals;

use std::path::Path;

use dyno_formats::ModelSpec;
use dyno_nn::Params;
use dyno_parity::{Goldens, check_no_allocations, check_threads};
use dyno_transformer_aan::ENGINE;
use dyno_translator::Switches;

fn check(name: &str) {
    let Some((goldens, home)) = Goldens::fixtures("parity of transformer-aan") else { return };
    goldens.check(&ENGINE, &home.join(name).join("model.npz"));
}

#[test]
fn average_attention_with_gate_translates_as_by_marian() {
    check("aan");
}

#[test]
fn average_attention_without_gate_translates_as_by_marian() {
    check("aan-slim");
}

#[test]
fn self_attention_translates_as_by_marian() {
    check("selfatt");
}

#[test]
fn the_option_space_translates_as_by_marian() {
    Goldens::check_folder(&ENGINE, &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/marian"));
}

#[test]
fn decoding_does_not_allocate() {
    let load = |spec: &ModelSpec, params: Params<'_>| {
        (ENGINE.load)(spec, params, &Switches::defaults(ENGINE.customs.switches))
    };
    for model in ["average-narrow", "highway", "pre-norm"] {
        check_no_allocations(
            &load,
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/marian").join(model).join("model.npz"),
        );
    }
}

#[test]
fn threads_change_no_bit_and_allocate_nothing() {
    ["selfatt", "transformer-aan"].iter().for_each(|name| check_threads(&ENGINE, name));
}

#[test]
fn lines_that_join_a_running_batch_have_the_answers_of_lines_alone() {
    Goldens::check_folder_joining(
        &ENGINE,
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/marian"),
    );
}

#[test]
#[ignore = "a sweep: the plain form of the kernels takes its time"]
fn a_line_has_one_translation_in_any_batch_and_on_any_instruction_set() {
    Goldens::check_folder_everywhere(
        &ENGINE,
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/marian"),
    );
}
