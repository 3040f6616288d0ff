//! Test sets: source lines, references, identity. They come from a folder with a manifest, from plain files,
//! or from sacrebleu's own collection.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::unknown::hinted;
use crate::score;

/// Lines to translate, and what they should become.
#[derive(Clone, Debug)]
pub struct TestSet {
    /// Its name in tables.
    pub name: String,
    /// The lines, without line ends, as they are in the file.
    pub source: Vec<Vec<u8>>,
    /// One file's lines a reference; may be none, then quality isn't scored.
    pub references: Vec<Vec<String>>,
    /// SHA-256 of source and references, every line ended, in hexadecimal: two sets of one name are told apart.
    pub sha256: String,
}

impl TestSet {
    /// Its first `lines` alone, as a set of its own.
    #[must_use]
    pub fn first(&self, lines: usize) -> Self {
        if lines >= self.source.len() {
            return self.clone();
        }
        let source = self.source[..lines].to_vec();
        let references: Vec<Vec<String>> =
            self.references.iter().map(|lines_of| lines_of[..lines].to_vec()).collect();
        let mut hash = Sha256::new();
        source.iter().for_each(|line| hash.update([line.as_slice(), b"\n"].concat()));
        references.iter().flatten().for_each(|line| hash.update([line.as_bytes(), b"\n"].concat()));
        Self {
            name: format!("{}, first {lines}", self.name),
            source,
            references,
            sha256: hex(&hash.finalize()),
        }
    }

    /// Whitespace-separated words of the raw source: the unit of all speeds.
    pub fn words(&self) -> usize {
        self.source.iter().map(|line| words(line)).sum()
    }
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
    /// The lines that `set` itself doesn't hold.
    pub fn around<'a>(&'a self, set: &TestSet) -> impl Iterator<Item = &'a [u8]> {
        let own: HashSet<Vec<u8>> = set.source.iter().cloned().collect();
        self.lines.iter().map(Vec::as_slice).filter(move |line| !own.contains(*line))
    }
}

/// Reads a file of filler lines; what occurs twice counts once, so that no system can save work by memory.
pub fn filler(path: &Path) -> Result<Filler, String> {
    let mut hash = Sha256::new();
    let mut seen = HashSet::new();
    let lines = read_lines(path, &mut hash)?;
    let lines: Vec<_> =
        lines.into_iter().filter(|line| words(line) > 0 && seen.insert(line.clone())).collect();
    if lines.is_empty() {
        return Err(format!("{}: no lines", path.display()));
    }
    Ok(Filler { lines, sha256: hex(&hash.finalize()) })
}

/// Whitespace-separated words of a line.
pub fn words(line: &[u8]) -> usize {
    String::from_utf8_lossy(line).split_whitespace().count()
}

/// `testset.toml` of a folder.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    name: String,
    /// What it is, for `dyno list`.
    about: String,
    licence: String,
    languages: String,
    lines: usize,
    source: PathBuf,
    references: Vec<PathBuf>,
    /// Of the files' contents, source first; guards against an edit that nobody meant.
    sha256: String,
}

/// The test set in a folder with a manifest.
pub fn from_folder(folder: &Path) -> Result<TestSet, String> {
    let path = folder.join("testset.toml");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let manifest: Manifest =
        toml::from_str(&text).map_err(|error| format!("{}: {}", path.display(), hinted(error.message())))?;
    let references: Vec<_> = manifest.references.iter().map(|file| folder.join(file)).collect();
    let set = from_files(&manifest.name, &folder.join(&manifest.source), &references)?;
    if set.source.len() != manifest.lines {
        let (is, says) = (set.source.len(), manifest.lines);
        return Err(format!("{}: says {says} lines, but there are {is}", path.display()));
    }
    if set.sha256 != manifest.sha256 {
        let remedy = "restore the files, or write the new sum into the manifest if the change was meant";
        return Err(format!("{}: the files' sha256 is {}: {remedy}", path.display(), set.sha256));
    }
    Ok(set)
}

/// A test set from plain files, a line each sentence.
pub fn from_files(name: &str, source: &Path, references: &[PathBuf]) -> Result<TestSet, String> {
    let mut hash = Sha256::new();
    let source_lines = read_lines(source, &mut hash)?;
    if source_lines.is_empty() {
        return Err(format!("{}: no lines; a test set has a sentence on each", source.display()));
    }
    if source_lines.iter().all(|line| words(line) == 0) {
        return Err(format!("{}: no words; a test set has a sentence on each line", source.display()));
    }
    let mut read = Vec::new();
    for path in references {
        let lines = read_lines(path, &mut hash)?;
        if lines.len() != source_lines.len() {
            let (path, a, b) = (path.display(), lines.len(), source_lines.len());
            return Err(format!("{path} has {a} lines, but {} has {b}", source.display()));
        }
        if lines.iter().all(|line| words(line) == 0) {
            return Err(format!(
                "{}: no words; leave it out of `references` if there are none",
                path.display()
            ));
        }
        let text = lines.into_iter().map(String::from_utf8).collect::<Result<_, _>>();
        read.push(text.map_err(|_| format!("{}: a reference must be UTF-8", path.display()))?);
    }
    let sha256 = hex(&hash.finalize());
    Ok(TestSet { name: name.into(), source: source_lines, references: read, sha256 })
}

/// Whether `name` looks like one of sacrebleu's (`multi30k/2016`, `wmt14/full`, `wmt20`) rather than a path.
pub fn may_be_sacrebleu(name: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    !name.starts_with('.') && name.split('/').count() <= 3 && name.split('/').all(part)
}

/// One of sacrebleu's own test sets, fetched by sacrebleu where its cache doesn't hold it yet.
pub fn from_sacrebleu(name: &str, languages: &str) -> Result<TestSet, String> {
    let files = score::sacrebleu_files(name, languages).map_err(|error| format!("{error:#}"))?;
    from_files(&format!("{name} {languages}"), &files.source, &files.references)
}

/// The lines of a file: split at line feeds alone, since Unicode's other separators may stand inside a line;
/// a carriage return before the line feed stays, because systems must cope with it.
fn read_lines(path: &Path, hash: &mut Sha256) -> Result<Vec<Vec<u8>>, String> {
    let bytes = fs::read(path).map_err(|error| format!("can't read {}: {error}", path.display()))?;
    hash.update(&bytes);
    if bytes.last().is_some_and(|&byte| byte != b'\n') {
        hash.update(b"\n"); // as a run keeps it
    }
    Ok(split_lines(&bytes).map(<[u8]>::to_vec).collect())
}

/// Lines of `bytes`; the last one needs no line feed.
pub fn split_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = whole.split(|&byte| byte == b'\n');
    lines.take(if bytes.is_empty() { 0 } else { usize::MAX })
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filler_lines_are_distinct_and_not_the_sets_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("filler.en");
        fs::write(&path, "one\ntwo\none\n\nthree\n").unwrap();
        let set = folder.path().join("set.en");
        fs::write(&set, "two\n").unwrap();
        let filler = filler(&path).unwrap();
        let set = from_files("set", &set, &[]).unwrap();
        assert_eq!(filler.around(&set).collect::<Vec<_>>(), [b"one".as_slice(), b"three"]);
    }

    #[test]
    fn lines_end_at_line_feeds_alone() {
        let lines = |text: &'static str| split_lines(text.as_bytes()).collect::<Vec<_>>();
        assert_eq!(lines("a\nb"), lines("a\nb\n"));
        assert_eq!(lines("a\n\n"), [b"a".as_slice(), b""]);
        assert_eq!(lines("a\u{2028}b\r\n"), ["a\u{2028}b\r".as_bytes()]);
        assert_eq!(lines("\n"), [b"".as_slice()]);
        assert!(lines("").is_empty());
    }

    #[test]
    fn sacrebleu_names_are_told_from_paths() {
        assert!(may_be_sacrebleu("multi30k/2016"));
        assert!(may_be_sacrebleu("wmt14/full"));
        assert!(!may_be_sacrebleu("../testsets/captions-en-de"));
        assert!(!may_be_sacrebleu("a b"));
    }
}
