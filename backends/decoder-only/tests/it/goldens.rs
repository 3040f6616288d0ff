//! Drawn models and what llama.cpp makes of them, by `ci/decoder-only-goldens.py`.

use std::path::PathBuf;

use dyno_formats::Gguf;
use serde_json::Value;

pub const MODELS: [&str; 7] = ["llama", "smollm", "fives", "qwen2", "qwen3", "smollm3", "gemma3"];

pub fn path(model: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(model).with_extension("gguf")
}

pub fn open(model: &str) -> Gguf {
    Gguf::open(&path(model)).unwrap()
}

/// The bytes of a model with `from` replaced wherever it stands.
pub fn replaced(model: &str, from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = std::fs::read(path(model)).unwrap();
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from.as_bytes()) {
            bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        }
    }
    bytes
}

/// Results of a model.
pub struct Golden {
    /// Lines with their ids, without control words.
    pub lines: Vec<(String, Vec<u32>)>,
    /// Words, and the logits after some numbers of them.
    pub ids: Vec<u32>,
    pub logits: Vec<(usize, Vec<f32>)>,
}

impl Golden {
    pub fn of(model: &str) -> Self {
        let text = std::fs::read_to_string(path(model).with_extension("json")).unwrap();
        let golden: Value = serde_json::from_str(&text).unwrap();
        let ids = |of: &Value| serde_json::from_value::<Vec<u32>>(of.clone()).unwrap();
        let lines = golden["lines"].as_array().unwrap().iter();
        let after = ids(&golden["after"]).into_iter().map(|count| count as usize);
        let logits: Vec<Vec<f32>> = serde_json::from_value(golden["logits"].clone()).unwrap();
        Self {
            lines: lines.map(|line| (line[0].as_str().unwrap().into(), ids(&line[1]))).collect(),
            ids: ids(&golden["ids"]),
            logits: after.zip(logits).collect(),
        }
    }
}
