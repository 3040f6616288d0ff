//! The texts of a run, test sets and outputs, held to the hashes that name them. Test sets are kept beside the records: whoever
//! reads the run needs neither the campaign nor a network.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{Identity, write_whole};
use crate::campaign::{TestSet, hex, split_lines};
use crate::exit::{Outcome, bad_input};

/// Where the source of the set of that hash lies; every line ends.
pub(super) fn source_path(folder: &Path, sha256: &str) -> PathBuf {
    folder.join("testsets").join(format!("{sha256}.source.txt"))
}

fn reference_path(folder: &Path, sha256: &str, number: usize) -> PathBuf {
    folder.join("testsets").join(format!("{sha256}.reference-{number}.txt"))
}

/// Writes what isn't there yet.
pub(super) fn keep(folder: &Path, set: &TestSet) -> Outcome<()> {
    super::create(&folder.join("testsets"))?;
    // References first: a set whose source is there is whole.
    for (i, reference) in set.references.iter().enumerate() {
        write_lines(&reference_path(folder, &set.sha256, i + 1), reference)?;
    }
    write_lines(&source_path(folder, &set.sha256), &set.source)
}

fn write_lines(path: &Path, lines: &[impl AsRef<[u8]>]) -> Outcome<()> {
    if path.exists() {
        return Ok(());
    }
    let text: Vec<u8> = lines.iter().flat_map(|line| [line.as_ref(), b"\n"].concat()).collect();
    write_whole(path, &text)
}

/// The test sets of a run.
pub(super) fn read(folder: &Path, identity: &Identity) -> Outcome<Vec<TestSet>> {
    identity.test_sets.iter().map(|(name, sha256, _)| read_one(folder, name, sha256)).collect()
}

fn read_one(folder: &Path, name: &str, sha256: &str) -> Outcome<TestSet> {
    let path = source_path(folder, sha256);
    let source = read_file(&path)?;
    let references =
        (1..).map(|number| reference_path(folder, sha256, number)).take_while(|path| path.exists());
    let references = references.map(|path| read_file(&path)).collect::<Outcome<Vec<_>>>()?;
    unchanged(&path, std::iter::once(&source).chain(&references), sha256)?;
    Ok(TestSet {
        name: name.into(),
        source: split_lines(&source).map(<[u8]>::to_vec).collect(),
        references: references.iter().map(|bytes| text_lines(bytes)).collect(),
        sha256: sha256.into(),
    })
}

/// The answers that lie in a file which is named by their SHA-256.
pub(super) fn read_output(path: &Path, sha256: &str) -> Outcome<Vec<String>> {
    let bytes = read_file(path)?;
    unchanged(path, [&bytes], sha256)?;
    Ok(text_lines(&bytes))
}

/// Scores of another text than the one that was timed would be worth nothing.
fn unchanged<'a>(path: &Path, files: impl IntoIterator<Item = &'a Vec<u8>>, sha256: &str) -> Outcome<()> {
    let mut hash = Sha256::new();
    files.into_iter().for_each(|bytes| hash.update(bytes));
    if hex(&hash.finalize()) == sha256 {
        return Ok(());
    }
    let remedy = "bring back what was measured, or measure anew";
    Err(bad_input(format!("the run is damaged: {} was changed afterwards; {remedy}", path.display())))
}

fn read_file(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|error| bad_input(format!("the run is damaged: {}: {error}", path.display())))
}

fn text_lines(bytes: &[u8]) -> Vec<String> {
    split_lines(bytes).map(|line| String::from_utf8_lossy(line).into_owned()).collect()
}
