//! The engine against Marian's own outputs: its big fixtures, and tiny models of each kind (see
//! goldens/README.md).

#![allow(clippy::unwrap_used)] // helpers of tests fail like tests

mod opennmt;
mod refusals;

use std::path::{Path, PathBuf};

use dyno_formats::ModelSpec;
use dyno_gru::ENGINE;
use dyno_nn::Params;
use dyno_parity::{Goldens, check_no_allocations, check_threads};
use dyno_translator::{Engine, Switches};

#[test]
fn fixtures_translate_as_by_marian() {
    let Some((goldens, home)) = Goldens::fixtures("parity of gru") else { return };
    goldens.check(&ENGINE, &home.join("gru/model.npz"));
}

#[test]
fn every_kind_of_model_translates_as_by_marian() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens");
    assert!(check_all(&home, Goldens::check) >= 12, "the kept models are there");
}

#[test]
fn decoding_does_not_allocate() {
    let load = |spec: &ModelSpec, params: Params<'_>| {
        (ENGINE.load)(spec, params, &Switches::defaults(ENGINE.customs.switches))
    };
    for model in KINDS {
        let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(model).join("model.npz");
        check_no_allocations(&load, &model);
    }
}

#[test]
fn a_binary_of_marian_is_the_model_that_it_was_made_of() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens");
    let goldens =
        Goldens { input: home.join("input.en"), vocabulary: home.join("joint.spm"), shortlist: None };
    goldens.check(&ENGINE, &home.join("lstm-plain/model.f32.bin"));
}

#[test]
fn threads_change_no_bit_and_allocate_nothing() {
    check_threads(&ENGINE, "gru");
}

#[test]
fn lines_that_join_a_running_batch_have_the_answers_of_lines_alone() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens");
    check_all(&home, |goldens, engine, decoder| goldens.check_joining(engine, &[decoder.to_path_buf()]));
}

#[test]
#[ignore = "a sweep: the plain form of the kernels takes its time"]
fn a_line_has_one_translation_in_any_batch_and_on_any_instruction_set() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens");
    // A few kinds of cells and norms: the plain form of the kernels takes its time.
    check_all(&home, |goldens, engine, decoder| {
        let kind = decoder.parent().and_then(Path::file_name).unwrap().to_string_lossy().into_owned();
        if KINDS.contains(&&kind[..]) {
            goldens.check_everywhere(engine, decoder);
        }
    });
}

/// One of each cell and norm.
const KINDS: [&str; 3] = ["s2s-plain", "lstm-deep-ln", "nematus-ln"];

/// Checks each model in a folder; says how many there were. (The whole option space is
/// `ci/marian-sweep.py`'s.)
fn check_all(home: &Path, check: fn(&Goldens, &Engine, &Path)) -> usize {
    let goldens = Goldens {
        input: home.join("input.en"),
        vocabulary: home.join("joint.spm"),
        shortlist: Some(home.join("lex.s2t")),
    };
    let folders = home.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut decoders: Vec<PathBuf> = folders.map(|folder| folder.join("decoder.yml")).collect();
    decoders.retain(|decoder| decoder.is_file());
    decoders.sort();
    for decoder in &decoders {
        println!("{}", decoder.display());
        check(&goldens, &ENGINE, decoder);
    }
    decoders.len()
}
