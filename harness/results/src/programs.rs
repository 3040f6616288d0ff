//! Hashes of programs and models, which a run's identity holds.

use std::path::PathBuf;

use dyno_measure::files::{file_hash, files_at};
use itertools::Itertools;

use crate::error::{Error, Result};

/// SHA-256 of every file at or below `paths`, each file once.
pub fn hashes_of(paths: impl IntoIterator<Item = PathBuf>) -> Result<Vec<(PathBuf, String)>> {
    let mut files = Vec::new();
    for path in paths {
        files.extend(files_at(&path).map_err(|source| Error::Unreadable(path, source))?);
    }
    let hashed = |file: PathBuf| match file_hash(&file) {
        Ok(hash) => Ok((file, hash)),
        Err(source) => Err(Error::Unreadable(file, source)),
    };
    files.into_iter().sorted().dedup().map(hashed).collect()
}
