//! Answers of workers, kept in the user's cache by the hash of worker and texts: a text is scored once,
//! however often it is compared.

use std::fs;
use std::path::PathBuf;

use dyno_provision::cache_folder;
use serde::{Deserialize, Serialize};

use crate::store::files::{read_json, write_json};

/// Answer to `score`.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) segments: Option<Vec<f64>>,
    pub(super) score: Option<f64>,
}

fn path(key: &str) -> Option<PathBuf> {
    Some(cache_folder().ok()?.join("metrics").join(format!("{key}.json")))
}

/// Answer of that key. A damaged file counts as none: the worker is asked again.
pub(super) fn kept(key: &str) -> Option<Kept> {
    read_json(&path(key)?).ok()?
}

/// Keeps an answer. A failure costs a second request, nothing more.
pub(super) fn keep(key: &str, answer: &Kept) {
    if let Some(path) = path(key) {
        let _ = path.parent().map(fs::create_dir_all);
        let _ = write_json(&path, answer);
    }
}
