//! Test sets: source lines, references, and the hash that distinguishes two sets of one name.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use dyno_record::{Exchange, Track, hash_of, hex};

use sha2::{Digest, Sha256};

use crate::{Error, Result, as_text, split_lines, words};

/// Remedy for a file without sentences.
const ONE_SENTENCE: &str = "; expected one sentence on each line";

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
    /// Pages of the set, as ranges of its lines: what the track `pages` sends at once.
    pub pages: Vec<Range<usize>>,
    /// SHA-256 of source, references and gold scores, every line ended, in hexadecimal. The hash distinguishes two sets
    /// of one name.
    pub sha256: String,
    /// Files of source and references, which a system in a sandbox doesn't see.
    pub files: Vec<PathBuf>,
}

impl TestSet {
    /// A test set from plain files, one sentence a line; `references` may be empty.
    pub fn from_files(name: &str, source: &Path, references: &[PathBuf]) -> Result<Self> {
        let lines = read_lines(source)?;
        if lines.is_empty() {
            return Err(Error::file(source, "no lines", ONE_SENTENCE));
        }
        if lines.iter().all(|line| words(line) == 0) {
            return Err(Error::file(source, "no words", ONE_SENTENCE));
        }
        let mut read = Vec::new();
        for path in references {
            let own = read_lines(path)?;
            check_number(path, own.len(), source, lines.len())?;
            if own.iter().all(|line| words(line) == 0) {
                return Err(Error::file(
                    path,
                    "no words",
                    "; leave it out of `references` if there are none",
                ));
            }
            let text = own.into_iter().map(String::from_utf8).collect::<std::result::Result<_, _>>();
            let remedy = "; convert it, such as by `iconv`";
            let no_text = |_| Error::file(path, "a reference must be UTF-8", remedy);
            read.push(text.map_err(no_text)?);
        }
        let files = [&[source.into()], references].concat();
        Ok(Self { files, ..Self::of(name.into(), lines, read, Vec::new()) })
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
        self.gold.iter().map(|score| format!("{score}\n")).collect()
    }

    fn of(name: String, source: Vec<Vec<u8>>, references: Vec<Vec<String>>, gold: Vec<f64>) -> Self {
        let mut hash = Sha256::new();
        source.iter().for_each(|line| hash.update([line.as_slice(), b"\n"].concat()));
        references.iter().flatten().for_each(|line| hash.update([line.as_bytes(), b"\n"].concat()));
        gold.iter().for_each(|score| hash.update(format!("{score}\n")));
        let (pages, sha256) = (equal_pages(source.len()), hex(&hash.finalize()));
        Self { name, source, references, gold, pages, sha256, files: Vec::new() }
    }

    /// The same set with pages of `lines` lines each; the last one may be shorter.
    #[must_use]
    pub fn with_pages_of(self, lines: usize) -> Self {
        Self { pages: pages_of(self.source.len(), lines), ..self }
    }

    /// The same set with the pages that a file names: each line of it is the name of a source line's
    /// document, and a page begins where the name changes.
    pub fn with_documents(self, path: &Path) -> Result<Self> {
        let names = read_lines(path)?;
        let source = self.files.first().map_or(Path::new(""), PathBuf::as_path);
        check_number(path, names.len(), source, self.source.len())?;
        Ok(self.with_pages(names.chunk_by(|one, next| one == next).map(<[_]>::len)))
    }

    /// The same set with pages of so many lines each, which are all of its lines.
    #[must_use]
    pub fn with_pages(self, lines: impl IntoIterator<Item = usize>) -> Self {
        let page = |end: &mut usize, lines: usize| {
            let begin = std::mem::replace(end, *end + lines);
            Some(begin..*end)
        };
        Self { pages: lines.into_iter().scan(0, page).collect(), ..self }
    }

    /// What lock-step sends at once under `track`, as ranges of the set's lines: each page, or each line
    /// alone.
    pub fn units(&self, track: Track) -> Vec<Range<usize>> {
        match track.exchange() {
            Exchange::Pages => self.pages.clone(),
            _ => pages_of(self.source.len(), 1),
        }
    }

    /// Number of [units](Self::units).
    pub fn unit_count(&self, track: Track) -> usize {
        match track.exchange() {
            Exchange::Pages => self.pages.len(),
            _ => self.source.len(),
        }
    }

    /// SHA-256 of the number of lines of each page.
    pub fn pages_sha256(&self) -> String {
        let counts: String = self.pages.iter().map(|page| format!("{}\n", page.len())).collect();
        hash_of(counts.as_bytes())
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
        let own = self.pages.iter().filter(|page| page.start < lines);
        let pages = own.map(|page| page.start..page.end.min(lines)).collect();
        Self { files: self.files.clone(), pages, ..part }
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

/// Lines of a page, where the set doesn't say where its pages begin. Mozilla compares its engines on 103
/// blocks of web pages with 403 sentences (`mozilla/translations`, inference-rs/09-final-comparison), which
/// are 3.9 a block.
const LINES_OF_A_PAGE: usize = 4;

/// Pages of a set of `lines` lines that doesn't say where its pages begin.
pub fn equal_pages(lines: usize) -> Vec<Range<usize>> {
    pages_of(lines, LINES_OF_A_PAGE)
}

fn pages_of(lines: usize, each: usize) -> Vec<Range<usize>> {
    (0..lines).step_by(each.max(1)).map(|begin| begin..(begin + each.max(1)).min(lines)).collect()
}

/// Words in the name of a set's first lines, between the name of the whole and the number of lines.
const FIRST: &str = ", first ";

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
        let (mut lines, mut seen) = (read_lines(path)?, HashSet::new());
        let sha256 = hash_of(&as_text(&lines));
        lines.retain(|line| words(line) > 0 && seen.insert(line.clone()));
        if lines.is_empty() {
            return Err(Error::file(path, "no lines", ONE_SENTENCE));
        }
        Ok(Self { lines, sha256 })
    }

    /// Lines that `set` itself doesn't hold.
    pub fn around<'a>(&'a self, set: &TestSet) -> impl Iterator<Item = &'a [u8]> {
        let own: HashSet<Vec<u8>> = set.source.iter().cloned().collect();
        self.lines.iter().map(Vec::as_slice).filter(move |line| !own.contains(*line))
    }
}

/// Lines of a file. Only a line feed ends a line: Unicode's other separators may stand inside a line. A
/// carriage return before the line feed stays, because systems must cope with it.
fn read_lines(path: &Path) -> Result<Vec<Vec<u8>>> {
    let bytes =
        dyno_api::files::read(path).map_err(|source| Error::Unreadable { path: path.into(), source })?;
    Ok(split_lines(&bytes).map(<[u8]>::to_vec).collect())
}

/// Refuses a file beside a source that has another number of lines.
fn check_number(path: &Path, lines: usize, source: &Path, expected: usize) -> Result<()> {
    let fault = || format!("{lines} lines, but {} has {expected}", source.display());
    if lines == expected { Ok(()) } else { Err(Error::file(path, fault(), "; give one line for each")) }
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
    fn pages_begin_where_a_file_of_documents_says_or_every_so_many_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("documents");
        let set = TestSet::from_lines("set", ["a b", "c", "d", "e", "f"]);
        assert_eq!(set.pages, [0..4, 4..5], "the usual page");
        let equal = set.clone().with_pages_of(2);
        assert_eq!(equal.pages, [0..2, 2..4, 4..5]);
        assert_eq!(equal.first(3).pages, [0..2, 2..3]);
        fs::write(&path, "one\none\ntwo\none\none\n").unwrap();
        let named = set.clone().with_documents(&path).unwrap();
        assert_eq!(named.pages, [0..2, 2..3, 3..5]);
        assert!(named.sha256 == set.sha256 && named.pages_sha256() != set.pages_sha256());
        fs::write(&path, "one\n").unwrap();
        assert!(set.with_documents(&path).is_err_and(|error| error.to_string().contains("documents")));
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
