//! Test sets: source lines, references, and the hash that distinguishes two sets of one name.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use dyno_record::hex;

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::text::{split_lines, words};

/// Lines to translate, with their references.
#[derive(Clone, Debug)]
pub struct TestSet {
    /// Name in tables.
    pub name: String,
    /// Source lines, without line ends, as they are in the file.
    pub source: Vec<Vec<u8>>,
    /// Lines of each reference file. Without references the quality isn't scored.
    pub references: Vec<Vec<String>>,
    /// Gold scores of a set for encoders: people's judgement of how alike the lines of each pair are. Lines 2i and
    /// 2i + 1 are pair i. Empty for a set that is to be translated.
    pub gold: Vec<f64>,
    /// SHA-256 of source, references and gold scores, every line ended, in hexadecimal. The hash distinguishes two sets of
    /// one name.
    pub sha256: String,
    /// Files of source and references, which a system in a sandbox doesn't see.
    pub files: Vec<PathBuf>,
}

impl TestSet {
    /// A test set from plain files, one sentence a line; `references` may be empty.
    pub fn from_files(name: &str, source: &Path, references: &[PathBuf]) -> Result<Self> {
        let mut hash = Sha256::new();
        let source_lines = read_lines(source, &mut hash)?;
        if source_lines.is_empty() {
            return Err(Error::NoLines(source.into()));
        }
        if source_lines.iter().all(|line| words(line) == 0) {
            return Err(Error::NoWords(source.into()));
        }
        let mut read = Vec::new();
        for path in references {
            let lines = read_lines(path, &mut hash)?;
            if lines.len() != source_lines.len() {
                let (lines, expected) = (lines.len(), source_lines.len());
                return Err(Error::UnequalLines {
                    path: path.clone(),
                    lines,
                    source_path: source.into(),
                    expected,
                });
            }
            if lines.iter().all(|line| words(line) == 0) {
                return Err(Error::EmptyReference(path.clone()));
            }
            let text = lines.into_iter().map(String::from_utf8).collect::<std::result::Result<_, _>>();
            read.push(text.map_err(|_| Error::NotUtf8(path.clone()))?);
        }
        let files = [&[source.into()], references].concat();
        let (name, sha256) = (name.into(), hex(&hash.finalize()));
        Ok(Self { name, source: source_lines, references: read, gold: Vec::new(), sha256, files })
    }

    /// A test set without references, from lines in memory.
    pub fn from_lines(name: &str, lines: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Self {
        Self::of(name.into(), lines.into_iter().map(Into::into).collect(), Vec::new(), Vec::new())
    }

    /// A test set for encoders, from pairs of sentences with gold scores. Line ends within a sentence become
    /// blanks.
    pub fn from_pairs(name: &str, pairs: &[(String, String, f64)]) -> Self {
        let line = |text: &String| text.replace(['\n', '\r'], " ").into_bytes();
        let source = pairs.iter().flat_map(|(one, other, _)| [line(one), line(other)]).collect();
        Self::of(name.into(), source, Vec::new(), pairs.iter().map(|(_, _, score)| *score).collect())
    }

    /// Text of the gold scores, a line for each, as a run keeps them.
    pub fn gold_text(&self) -> String {
        gold_text(&self.gold)
    }

    fn of(name: String, source: Vec<Vec<u8>>, references: Vec<Vec<String>>, gold: Vec<f64>) -> Self {
        let mut hash = Sha256::new();
        source.iter().for_each(|line| hash.update([line.as_slice(), b"\n"].concat()));
        references.iter().flatten().for_each(|line| hash.update([line.as_bytes(), b"\n"].concat()));
        hash.update(gold_text(&gold));
        Self { name, source, references, gold, sha256: hex(&hash.finalize()), files: Vec::new() }
    }

    /// First `lines` lines, as a set of its own. Pairs stay whole.
    #[must_use]
    pub fn first(&self, lines: usize) -> Self {
        if lines >= self.source.len() {
            return self.clone();
        }
        let lines = if self.gold.is_empty() { lines } else { lines.next_multiple_of(2) };
        let source = self.source[..lines].to_vec();
        let references: Vec<Vec<String>> =
            self.references.iter().map(|lines_of| lines_of[..lines].to_vec()).collect();
        let gold = self.gold.iter().take(lines / 2).copied().collect();
        let part = Self::of(format!("{}{FIRST}{lines}", self.name), source, references, gold);
        Self { files: self.files.clone(), ..part }
    }

    /// Whether the set is the one named `name`, or its first lines.
    pub fn is_of(&self, name: &str) -> bool {
        let rest = self.name.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(FIRST))
    }

    /// Whitespace-separated words of the raw source: the unit of all speeds.
    pub fn words(&self) -> usize {
        self.source.iter().map(|line| words(line)).sum()
    }
}

/// Words in the name of a set's first lines, between the name of the whole and the number of lines.
const FIRST: &str = ", first ";

/// A line for each score.
fn gold_text(gold: &[f64]) -> String {
    gold.iter().map(|score| format!("{score}\n")).collect()
}

/// Lines that make a throughput launch long enough, and are not scored.
#[derive(Clone, Debug)]
pub struct Filler {
    /// Distinct lines, none of them empty.
    lines: Vec<Vec<u8>>,
    /// SHA-256 of the file.
    pub sha256: String,
}

impl Filler {
    /// Reads a file of filler lines. A line that occurs twice counts once, so that no system can save work by
    /// memory.
    pub fn read(path: &Path) -> Result<Self> {
        let mut hash = Sha256::new();
        let mut seen = HashSet::new();
        let lines = read_lines(path, &mut hash)?;
        let lines: Vec<_> =
            lines.into_iter().filter(|line| words(line) > 0 && seen.insert(line.clone())).collect();
        if lines.is_empty() {
            return Err(Error::NoLines(path.into()));
        }
        Ok(Self { lines, sha256: hex(&hash.finalize()) })
    }

    /// Lines that `set` itself doesn't hold.
    pub fn around<'a>(&'a self, set: &TestSet) -> impl Iterator<Item = &'a [u8]> {
        let own: HashSet<Vec<u8>> = set.source.iter().cloned().collect();
        self.lines.iter().map(Vec::as_slice).filter(move |line| !own.contains(*line))
    }
}

/// Lines of a file. Only a line feed ends a line: Unicode's other separators may stand inside a line. A
/// carriage return before the line feed stays, because systems must cope with it.
fn read_lines(path: &Path, hash: &mut Sha256) -> Result<Vec<Vec<u8>>> {
    let bytes =
        dyno_api::files::read(path).map_err(|source| Error::Unreadable { path: path.into(), source })?;
    hash.update(&bytes);
    if bytes.last().is_some_and(|&byte| byte != b'\n') {
        hash.update(b"\n"); // as a run keeps it
    }
    Ok(split_lines(&bytes).map(<[u8]>::to_vec).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn filler_lines_are_distinct_and_not_the_sets_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("filler.en");
        fs::write(&path, "one\ntwo\none\n\nthree\n").unwrap();
        let filler = Filler::read(&path).unwrap();
        let set = TestSet::from_lines("set", ["two"]);
        assert_eq!(filler.around(&set).collect::<Vec<_>>(), [b"one".as_slice(), b"three"]);
    }

    #[test]
    fn a_part_of_a_set_of_pairs_has_whole_pairs() {
        let pair = |one: &str, other: &str, score| (one.to_owned(), other.to_owned(), score);
        let set = TestSet::from_pairs("set", &[pair("a\nb", "c", 4.5), pair("d", "e", 0.0)]);
        assert_eq!(set.source, [b"a b".to_vec(), b"c".into(), b"d".into(), b"e".into()]);
        assert_eq!(set.gold_text(), "4.5\n0\n");
        let part = set.first(1);
        assert_eq!((part.source.len(), &part.gold[..]), (2, &[4.5][..]));
        let names = ["set", "set, first 2", "se", "other"].map(|name| part.is_of(name));
        assert_eq!((names, set.is_of("set")), ([true, true, false, false], true));
        assert_ne!(TestSet::from_lines("set", ["a b", "c", "d", "e"]).sha256, set.sha256);
    }

    #[test]
    fn a_set_from_files_has_the_hash_of_the_same_lines_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("set.en");
        fs::write(&path, "one\ntwo").unwrap(); // the last line has no end
        let read = TestSet::from_files("set", &path, &[]).unwrap();
        assert_eq!(read.sha256, TestSet::from_lines("set", ["one", "two"]).sha256);
        assert_eq!((read.words(), read.first(1).words()), (2, 1));
    }
}
