//! Hashes of programs and models, which a run's identity holds.

use std::path::{Path, PathBuf};

use dyno_measure::files::{collect_files, file_hash};

use crate::error::{Error, Result};

/// SHA-256 of every file at or below `paths`, each file once.
pub fn hashes_of(paths: impl IntoIterator<Item = PathBuf>) -> Result<Vec<(PathBuf, String)>> {
    let mut hashes = Vec::new();
    for path in paths {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |source| Error::Unreadable(path, source)
        };
        let mut files = Vec::new();
        collect_files(&path, &mut files).map_err(unreadable(&path))?;
        for file in files {
            let hash = file_hash(&file).map_err(unreadable(&file))?;
            hashes.push((file, hash));
        }
    }
    hashes.sort();
    hashes.dedup();
    Ok(hashes)
}
