//! The small files, what is in them, and a vocabulary for them.

use std::io::Write;
use std::path::{Path, PathBuf};

use dyno_formats::Vocabulary;
use serde_json::Value;

pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(name)
}

pub fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub fn expected() -> Value {
    serde_json::from_slice(&bytes("expected.json")).expect("the goldens are JSON")
}

pub fn floats(value: &Value) -> Vec<f32> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number") as f32).collect()
}

pub fn counts(value: &Value) -> Vec<usize> {
    value.as_array().expect("a list").iter().map(|x| x.as_u64().expect("a count") as usize).collect()
}

pub fn ids(value: &Value) -> Vec<u32> {
    counts(value).into_iter().map(|id| id as u32).collect()
}

/// The goldens' vocabulary: `</s>`, `<unk>`, then letters; also fit for any other list of words.
pub struct Words(pub Vec<String>);

impl Words {
    pub fn of_goldens() -> Self {
        let text = String::from_utf8(bytes("vocab.yml")).expect("text");
        Self(text.lines().map(|line| line.split('"').nth(1).expect("quoted words").into()).collect())
    }
}

impl Vocabulary for Words {
    fn words(&self) -> usize {
        self.0.len()
    }

    fn id(&self, word: &str) -> u32 {
        self.0.iter().position(|known| known == word).unwrap_or(1) as u32
    }
}

/// A folder of real models, or `None` with a line that says so.
pub fn fixtures() -> Option<PathBuf> {
    let folder = std::env::var_os("DYNO_FIXTURES").map(PathBuf::from);
    if folder.is_none() {
        // Not `eprintln`, which the harness keeps to itself when a test passes.
        let line = "skipped: needs real models; set DYNO_FIXTURES to their folder";
        writeln!(std::io::stderr(), "{line}").expect("standard error is open");
    }
    folder
}
