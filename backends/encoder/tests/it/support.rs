//! Goldens, models opened with settings, and vectors read from answers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use dyno_api::{Answer, Backend, Model, Settings};
use dyno_encoder::ENGINE;

/// Kinds of models among the goldens.
pub const KINDS: [&str; 6] =
    ["bert", "bert-cased", "roberta", "xlm-roberta", "roberta-prelayernorm", "distilbert"];

/// Width of the goldens' vectors.
pub const WIDTH: usize = 32;

pub fn folder(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(kind)
}

/// Lines of all kinds of text.
pub fn lines() -> Vec<String> {
    let text = std::fs::read_to_string(folder("lines.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Ids of each line by the original tokeniser.
pub fn ids(kind: &str) -> Vec<Vec<u32>> {
    let text = std::fs::read_to_string(folder(kind).join("ids.txt")).unwrap();
    text.lines().map(|line| line.split(' ').map(|id| id.parse().unwrap()).collect()).collect()
}

/// Values of a file of little-endian f32.
pub fn floats(path: &Path) -> Vec<f32> {
    let bytes = std::fs::read(path).unwrap();
    bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
}

pub fn settings(value: serde_json::Value) -> Settings {
    value.as_object().unwrap().clone()
}

pub fn open(path: &Path, value: serde_json::Value) -> Arc<dyn Model> {
    ENGINE.open(&[path.into()], &settings(value)).unwrap()
}

/// Why a model with these settings isn't opened.
pub fn refusal(path: &Path, value: serde_json::Value) -> String {
    match ENGINE.open(&[path.into()], &settings(value)) {
        Ok(_) => panic!("{} was opened", path.display()),
        Err(error) => error.to_string(),
    }
}

/// Vectors of `lines`, given in one call.
pub fn encode(model: &dyn Model, lines: &[&[u8]]) -> Vec<Vec<f32>> {
    let mut session = model.session().unwrap();
    let mut vectors = vec![Vec::new(); lines.len()];
    let mut sink = |answer: Answer<'_>| {
        let bytes = BASE64_STANDARD.decode(answer.text).unwrap();
        vectors[answer.line] = bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
    };
    session.run(lines, &mut sink).unwrap();
    vectors
}

/// Greatest difference of two lists of the same length.
pub fn difference(one: &[f32], other: &[f32]) -> f32 {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

pub fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let dot =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum() };
    dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
}
