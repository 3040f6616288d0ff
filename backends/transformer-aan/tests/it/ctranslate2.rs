//! The engine against CTranslate2, on its directories as they are and converted. `ci/ctranslate2-goldens.py`
//! makes the goldens.

use std::fs;
use std::path::{Path, PathBuf};

use dyno_api::{Answer, Backend, Settings};
use dyno_formats::{ConvertOptions, ModelDir, Precision, convert};
use dyno_parity::NARROW;
use dyno_transformer_aan::ENGINE;
use serde_json::{Value, json};

use crate::hugging_face::lines;

fn goldens() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens")
}

fn folder(name: &str) -> PathBuf {
    goldens().join("ctranslate2").join(name)
}

/// Settings for a greedy translation by the golden model `name`.
fn settings(name: &str, more: &Value) -> Settings {
    let mut settings = json!({ "beam": 1 }).as_object().unwrap().clone();
    if name == "nllb" {
        settings.insert("source-language".into(), json!("eng_Latn"));
        settings.insert("target-language".into(), json!("deu_Latn"));
    }
    settings.extend(more.as_object().unwrap().clone());
    settings
}

/// The first captions and the odd lines, which the goldens translate.
fn source() -> Vec<String> {
    let all = lines(&goldens().join("hugging-face/lines.en"));
    [&all[..30], &all[all.len() - 3..]].concat()
}

fn translate(model: &Path, settings: &Settings, batch: usize) -> Vec<String> {
    let model = ENGINE.open(&[model.into()], settings).unwrap();
    let mut session = model.session().unwrap();
    let source = source();
    let lines: Vec<&[u8]> = source.iter().map(String::as_bytes).collect();
    let mut answers = vec![String::new(); lines.len()];
    for (first, lines) in lines.chunks(batch).enumerate() {
        let mut sink = |answer: Answer<'_>| answer.text.clone_into(&mut answers[first * batch + answer.line]);
        session.run(lines, &mut sink).unwrap();
    }
    answers
}

/// Checks that `model` translates as the golden `name`: lines may differ where a margin is next to nothing,
/// and on 1 % of the lines at most.
fn check(name: &str, model: &Path, more: &Value) {
    let margins = lines(&folder(name).join("margins.txt"));
    let margins: Vec<f32> = margins.iter().map(|margin| margin.parse().unwrap()).collect();
    let expected = lines(&folder(name).join("greedy.txt"));
    for batch in [1, 64] {
        let found = translate(model, &settings(name, more), batch);
        let differ: Vec<usize> = (0..found.len()).filter(|at| found[*at] != expected[*at]).collect();
        let wide = differ.iter().filter(|at| margins[**at] >= NARROW);
        let told: String =
            wide.map(|at| format!("\n{at}: {:?}\n not {:?}", found[*at], expected[*at])).collect();
        assert!(told.is_empty(), "{name}: {told}");
        assert!(differ.len() <= found.len() / 100, "{name}: {differ:?} differ");
    }
}

#[test]
fn marian_models_translate_as_by_ctranslate2() {
    check("marian", &folder("marian"), &json!({}));
}

#[test]
fn halves_translate_as_by_ctranslate2_in_f32() {
    check("marian-float16", &folder("marian-float16"), &json!({}));
    check("marian-float16", &folder("marian-float16"), &json!({ "precision": "f32" }));
}

#[test]
fn halves_serve_products_in_bf16() {
    let settings = settings("marian-float16", &json!({ "precision": "bf16" }));
    let facts = ENGINE.open(&[folder("marian-float16")], &settings).unwrap().facts();
    assert_eq!(facts.precision.as_deref(), Some("f16 weights, bf16 products"));
}

#[test]
fn version_5_with_two_vocabularies_and_computed_positions_translates_as_by_ctranslate2() {
    check("opennmt", &folder("opennmt"), &json!({}));
}

#[test]
fn beams_translate_as_by_ctranslate2() {
    for name in ["marian", "marian-float16", "opennmt"] {
        let expected = lines(&folder(name).join("beam.txt"));
        for (normalize, expected) in [1.0, 0.0].into_iter().zip(expected.chunks(expected.len() / 2)) {
            let settings = settings(name, &json!({ "beam": 4, "normalize": normalize }));
            assert_eq!(translate(&folder(name), &settings, 64), expected, "{name}, {normalize}");
        }
    }
}

#[test]
fn words_for_languages_come_first() {
    let model = ModelDir::open(folder("nllb")).unwrap();
    assert_eq!(model.decoder().unwrap().text("language-words").unwrap(), "both");
    check_coarse("nllb", 0.6);
}

#[test]
fn integers_translate_nearly_as_by_ctranslate2() {
    check_coarse("marian-int16", 0.9);
    check_coarse("marian-int8", 0.6);
}

/// Checks how many words of CTranslate2's translations the model `name`, whose products are in integers, has:
/// its goldens multiply the same weights in f32.
fn check_coarse(name: &str, least: f64) {
    let found = translate(&folder(name), &settings(name, &json!({})), 64);
    let (mut same, mut words) = (0u32, 0u32);
    for (found, expected) in found.iter().zip(lines(&folder(name).join("greedy.txt"))) {
        same += found.split(' ').zip(expected.split(' ')).filter(|(one, other)| one == other).count() as u32;
        words += expected.split(' ').count() as u32;
    }
    let share = f64::from(same) / f64::from(words);
    assert!(share > least, "{name}: {share}");
}

#[test]
fn a_converted_directory_translates_as_the_original() {
    for (name, precision) in
        [("marian", Precision::F32), ("opennmt", Precision::F16), ("nllb", Precision::Int8)]
    {
        let home = tempfile::tempdir().unwrap();
        let to = home.path().join("model");
        let source = ModelDir::open(folder(name)).unwrap();
        let options = ConvertOptions { precisions: vec![precision], ..ConvertOptions::default() };
        convert(&source, &to, &options).unwrap();
        let converted = ModelDir::open(&to).unwrap();
        converted.verify().unwrap();
        assert_eq!(source.spec().unwrap().network, converted.spec().unwrap().network, "{name}");
        let settings = settings(name, &json!({}));
        assert_eq!(translate(&to, &settings, 64), translate(&folder(name), &settings, 64), "{name}");
    }
}

#[test]
fn a_directory_without_pieces_is_told_what_it_lacks() {
    let home = tempfile::tempdir().unwrap();
    for file in ["model.bin", "config.json", "shared_vocabulary.json"] {
        fs::copy(folder("marian").join(file), home.path().join(file)).unwrap();
    }
    let told = ModelDir::open(home.path()).unwrap_err().to_string();
    assert!(told.contains("has no SentencePiece model; copy source.spm"), "{told}");
}
