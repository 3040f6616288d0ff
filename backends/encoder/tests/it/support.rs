//! Goldens, models opened with settings, and vectors read from answers.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use dyno_api::{Answer, Backend, Model, Settings};
use dyno_encoder::{Directory, ENGINE};
use dyno_text::Scratch;
use serde_json::Value;
use tempfile::TempDir;

/// Kinds of models among the goldens.
pub const KINDS: [&str; 8] = [
    "bert",
    "bert-cased",
    "bert-odd",
    "minilm",
    "roberta",
    "xlm-roberta",
    "roberta-prelayernorm",
    "distilbert",
];

/// Width of the golden BERT's vectors.
pub const WIDTH: usize = 32;

pub fn folder(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(kind)
}

/// Number of `name` in the configuration of a golden model.
pub fn size(kind: &str, name: &str) -> usize {
    let text = fs::read_to_string(folder(kind).join("config.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()[name].as_u64().unwrap() as usize
}

/// A copy of a golden model with further files; a file of `null` is removed.
pub fn with(kind: &str, files: &[(&str, Value)]) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder(kind)).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
    }
    for (name, value) in files {
        let path = copy.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match value {
            Value::Null => fs::remove_file(path).unwrap(),
            value => fs::write(path, value.to_string()).unwrap(),
        }
    }
    copy
}

/// Lines of all kinds of text.
pub fn lines() -> Vec<String> {
    let text = fs::read_to_string(folder("lines.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Ids of each line by the original tokeniser.
pub fn ids(kind: &str) -> Vec<Vec<u32>> {
    let text = fs::read_to_string(folder(kind).join("ids.txt")).unwrap();
    text.lines().map(|line| line.split(' ').map(|id| id.parse().unwrap()).collect()).collect()
}

/// Ids of `line` by the tokeniser of a directory.
pub fn encoded(path: &Path, line: &[u8]) -> Vec<u32> {
    let tokeniser = Directory::open(path).unwrap().tokeniser().unwrap();
    let mut ids = Vec::new();
    tokeniser.encode(line, &mut Scratch::default(), &mut ids).unwrap();
    ids
}

/// Values of a file of little-endian f32.
pub fn floats(path: &Path) -> Vec<f32> {
    let bytes = fs::read(path).unwrap();
    bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
}

pub fn settings(value: Value) -> Settings {
    value.as_object().unwrap().clone()
}

pub fn open(path: &Path, value: Value) -> Arc<dyn Model> {
    ENGINE.open(&[path.into()], &settings(value)).unwrap()
}

/// Why a model with these settings isn't opened.
pub fn refusal(path: &Path, value: Value) -> String {
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
