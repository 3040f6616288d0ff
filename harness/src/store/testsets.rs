//! A run's test sets, kept beside its records: whoever reads the run needs neither the campaign nor a network.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Identity, write_whole};
use crate::campaign::{TestSet, split_lines};
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
    let source = read_lines(&source_path(folder, sha256), <[u8]>::to_vec)?;
    let references =
        (1..).map(|number| reference_path(folder, sha256, number)).take_while(|path| path.exists());
    let text = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    let references = references.map(|path| read_lines(&path, text)).collect::<Outcome<_>>()?;
    Ok(TestSet { name: name.into(), source, references, sha256: sha256.into() })
}

/// The lines of a file of a run.
pub(super) fn read_lines<T>(path: &Path, line: impl Fn(&[u8]) -> T) -> Outcome<Vec<T>> {
    let read = fs::read(path);
    let bytes =
        read.map_err(|error| bad_input(format!("the run is damaged: {}: {error}", path.display())))?;
    Ok(split_lines(&bytes).map(line).collect())
}
