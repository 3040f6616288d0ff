//! Texts of a run: test sets and outputs, checked against the hashes in their names. Test sets lie beside the
//! records, so a reader of the run needs neither the campaign nor a network.

use std::path::{Path, PathBuf};

use dyno_api::files;
use dyno_measure::{TestSet, as_text, equal_pages, split_lines};
use dyno_record::{Identity, hex};
use sha2::{Digest, Sha256};

use super::files::write_whole;
use super::folder::create;
use crate::error::{Error, Result};

/// File of the test set of that hash with its `source`, a `reference-N`, or the `gold` scores of a set for encoders.
fn text_path(folder: &Path, sha256: &str, text: &str) -> PathBuf {
    folder.join("testsets").join(format!("{sha256}.{text}.txt"))
}

/// Files of a test set with their texts. The source comes last: a set with a source is complete.
pub(super) fn files_of(folder: &Path, set: &TestSet) -> Vec<(PathBuf, Vec<u8>)> {
    let path = |text: &str| text_path(folder, &set.sha256, text);
    let reference =
        |(i, lines): (usize, &Vec<String>)| (path(&format!("reference-{}", i + 1)), as_text(lines));
    let gold = || (path("gold"), set.gold_text().into_bytes());
    let source = (path("source"), as_text(&set.source));
    let references = set.references.iter().enumerate().map(reference);
    references.chain((!set.gold.is_empty()).then(gold)).chain([source]).collect()
}

/// Writes the files of a test set that are missing.
pub(super) fn keep(folder: &Path, set: &TestSet) -> Result<()> {
    create(&folder.join("testsets"))?;
    let mut missing = files_of(folder, set).into_iter().filter(|(path, _)| !path.exists());
    missing.try_for_each(|(path, text)| write_whole(&path, &text))
}

pub(crate) fn read(folder: &Path, identity: &Identity) -> Result<Vec<TestSet>> {
    identity.test_sets.iter().map(|(name, sha256, _)| read_one(folder, name, sha256)).collect()
}

fn read_one(folder: &Path, name: &str, sha256: &str) -> Result<TestSet> {
    let path_of = |text: &str| text_path(folder, sha256, text);
    let (path, gold_path) = (path_of("source"), path_of("gold"));
    let source = read_file(&path)?;
    let references =
        (1..).map(|number| path_of(&format!("reference-{number}"))).take_while(|path| path.exists());
    let references = references.map(|path| read_file(&path)).collect::<Result<Vec<_>>>()?;
    let gold = if gold_path.exists() { read_file(&gold_path)? } else { Vec::new() };
    unchanged(&path, std::iter::once(&source).chain(&references).chain([&gold]), sha256)?;
    let source: Vec<_> = split_lines(&source).map(<[u8]>::to_vec).collect();
    Ok(TestSet {
        gold: gold_scores(&gold_path, &gold, source.len())?,
        name: name.into(),
        pages: equal_pages(source.len()), // the records have the pages of the run
        source,
        references: references.iter().map(|bytes| text_lines(bytes)).collect(),
        sha256: sha256.into(),
        files: Vec::new(), // they lie in the folder of the run
    })
}

/// Gold scores: none, or one for each pair of lines.
fn gold_scores(path: &Path, text: &[u8], lines: usize) -> Result<Vec<f64>> {
    let fault = |fault: String| Error::changed(format_args!("{} has {fault}", path.display()));
    let read = |line: &String| line.parse().map_err(|_| fault(format!("{line:?} as a score")));
    let gold: Vec<f64> = text_lines(text).iter().map(read).collect::<Result<_>>()?;
    match gold.is_empty() || 2 * gold.len() == lines {
        true => Ok(gold),
        false => Err(fault(format!("{} scores for {lines} lines, not one for each pair", gold.len()))),
    }
}

/// Answers with that hash, as one text.
pub(crate) fn read_output(folder: &Path, sha256: &str) -> Result<Vec<u8>> {
    let path = output_path(folder, sha256);
    let bytes = read_file(&path)?;
    unchanged(&path, [&bytes], sha256)?;
    Ok(bytes)
}

/// File of the answers with that hash.
pub(crate) fn output_path(folder: &Path, sha256: &str) -> PathBuf {
    folder.join("outputs").join(format!("{sha256}.txt"))
}

/// Checks that the files have the hash of the measurement: scores of another text would mean nothing.
fn unchanged<'a>(path: &Path, files: impl IntoIterator<Item = &'a Vec<u8>>, sha256: &str) -> Result<()> {
    let mut hash = Sha256::new();
    files.into_iter().for_each(|bytes| hash.update(bytes));
    if hex(&hash.finalize()) == sha256 {
        return Ok(());
    }
    Err(Error::changed(format_args!("{} was changed afterwards", path.display())))
}

fn read_file(path: &Path) -> Result<Vec<u8>> {
    files::read(path).map_err(|error| Error::changed(format_args!("{}: {error}", path.display())))
}

/// Lines of a text, with invalid UTF-8 replaced.
pub(crate) fn text_lines(bytes: &[u8]) -> Vec<String> {
    split_lines(bytes).map(|line| String::from_utf8_lossy(line).into_owned()).collect()
}
