//! A run in memory, written as a whole into a new folder. Texts are copied byte by byte from the folders that
//! the run was read from, since their names are hashes of these bytes.
//!
//! Nothing is synced file by file: the folder is made aside, and only a complete one gets its name.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use dyno_api::files;
use serde::Serialize;

use super::journal::RECORDS;
use super::texts;
use crate::error::{Error, Result};
use crate::run::{BREAKDOWNS, COMMAND, METRICS, PRICE, Run, SCORES};

/// Writes `run`, whose texts lie in the folders `sources`, into `folder`, which must be new.
pub(crate) fn write_run(folder: &Path, run: &Run, sources: &[PathBuf]) -> Result<()> {
    let unwritable = |source| Error::Unwritable(folder.into(), source);
    for part in ["outputs", "testsets"] {
        fs::create_dir_all(folder.join(part)).map_err(unwritable)?;
    }
    for text in texts_of(run) {
        copy(&text, sources, folder)?;
    }
    let mut lines = Vec::new();
    for record in &run.records {
        serde_json::to_writer(&mut lines, record).map_err(Error::encoding("a record"))?;
        lines.write_all(b"\n").map_err(unwritable)?;
    }
    fs::write(folder.join(RECORDS), lines).map_err(unwritable)?;
    json(&folder.join(BREAKDOWNS), &run.breakdowns)?;
    json(&folder.join(METRICS), &run.metrics)?;
    json(&folder.join(SCORES), &run.scores)?;
    if let Some(command) = &run.command {
        fs::write(folder.join(COMMAND), format!("{command}\n")).map_err(unwritable)?;
    }
    run.price.as_ref().map_or(Ok(()), |price| json(&folder.join(PRICE), price))?;
    json(&folder.join("run.json"), &run.identity)
}

/// Paths of outputs and test sets in the folder of a run.
fn texts_of(run: &Run) -> BTreeSet<PathBuf> {
    let here = Path::new("");
    let outputs = run.records.iter().filter_map(|record| record.output.as_ref());
    let sets = run.test_sets.iter().flat_map(|set| texts::files_of(here, set)).map(|(path, _)| path);
    outputs.map(|name| texts::output_path(here, name)).chain(sets).collect()
}

fn copy(text: &Path, sources: &[PathBuf], folder: &Path) -> Result<()> {
    let path = folder.join(text);
    let found = sources.iter().map(|source| source.join(text)).find(|path| path.exists());
    let from =
        found.ok_or_else(|| Error::changed(format_args!("{} is missing in every run", text.display())))?;
    let bytes = files::read(&from).map_err(|source| Error::Unreadable(from, source))?;
    fs::write(&path, bytes).map_err(|source| Error::Unwritable(path, source))
}

fn json(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_vec_pretty(value).map_err(Error::encoding("a file of the run"))?;
    fs::write(path, text).map_err(|source| Error::Unwritable(path.into(), source))
}
