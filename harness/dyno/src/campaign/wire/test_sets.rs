//! Test sets in a campaign file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::source::{Source, name_fault};
use crate::campaign::blocks::{self, Shape};
use crate::campaign::pairs::read_pairs;
use crate::campaign::test_sets::{WirePages, from_folder, from_sacrebleu, may_be_sacrebleu};
use crate::exit::Outcome;
use dyno_formats::lines_of_tokens;
use dyno_measure::TestSet;

/// Test set: a name or folder, or plain files.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a test set is a folder, a sacrebleu name, { set, first, pages }, { name, source, references, pages }, { name, pairs }, { name, tokens, lines, text }, or { name, pages, lines, words, text }"
)]
pub(super) enum WireTestSet {
    /// Folder, or name of a test set of sacrebleu.
    Named(String),
    /// Folder or name, of which a part is taken or pages are given.
    Part(WirePart),
    /// Plain files of lines.
    Files(WireFiles),
    /// Pairs of sentences with gold scores, for encoders.
    Pairs(WirePairs),
    /// Lines of a fixed number of tokens, for drawn encoders.
    Tokens(WireTokens),
    /// Blocks of drawn shape, for the track `pages`.
    Blocks(WireBlocks),
}

/// Source file and its references.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireFiles {
    name: String,
    source: PathBuf,
    #[serde(default)]
    references: Vec<PathBuf>,
    pages: Option<WirePages>,
}

/// A test set by its name or folder: its first lines alone, or with pages of the campaign's own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WirePart {
    set: String,
    first: Option<usize>,
    pages: Option<WirePages>,
}

/// File of pairs: two sentences and a score in each row.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WirePairs {
    name: String,
    pairs: PathBuf,
}

/// Description of lines that are drawn from a text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireTokens {
    name: String,
    /// Tokens of each line, with the two that an encoder adds.
    tokens: usize,
    lines: usize,
    /// Text of the drawn encoder's recipe.
    text: PathBuf,
}

/// Shape of a set whose lines are drawn from a text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireBlocks {
    name: String,
    pages: usize,
    lines: usize,
    words: usize,
    /// Text whose words the lines have.
    text: PathBuf,
}

/// Seed of drawn lines: the same lines on every host.
const SEED: u64 = 1;

/// Most lines that are drawn, and most tokens of a line: more than any encoder has positions.
const MOST_DRAWN: usize = 1 << 16;

/// Unicode's byte order mark, which some editors put at the start of a file.
const MARK: &str = "\u{feff}";

/// Reads the test sets, and the target language of each one that has a known pair.
pub(super) fn test_sets(
    source: &Source<'_>,
    wire: Vec<Spanned<WireTestSet>>,
    languages: Option<&str>,
) -> Outcome<(Vec<TestSet>, BTreeMap<String, String>)> {
    let (mut test_sets, mut targets): (Vec<TestSet>, _) = (Vec::new(), BTreeMap::new());
    for entry in wire {
        let span = entry.span();
        let loaded = match entry.into_inner() {
            WireTestSet::Named(name) => named(source, &name, languages),
            WireTestSet::Part(part) => named(source, &part.set, languages)
                .and_then(|(set, own)| Ok((part_of(source, set, &part)?, own))),
            WireTestSet::Files(files) => from_files(source, &files).map(|set| (set, None)),
            WireTestSet::Pairs(pairs) => match name_fault(&pairs.name) {
                Some(fault) => Err(fault),
                None => read_pairs(&pairs.name, &source.resolve(&pairs.pairs)).map(|set| (set, None)),
            },
            WireTestSet::Blocks(WireBlocks { name, pages, lines, words, text }) => match name_fault(&name) {
                Some(fault) => Err(fault),
                None => blocks::drawn(&name, &source.resolve(&text), Shape { pages, lines, words })
                    .map(|set| (set, None)),
            },
            WireTestSet::Tokens(tokens) => drawn(source, &tokens).map(|set| (set, None)),
        };
        let (test_set, own_languages) = loaded.map_err(|message| source.error_at(span.clone(), message))?;
        if test_sets.iter().any(|other| other.name == test_set.name) {
            return Err(source.error_at(
                span,
                format!("a second test set named {:?}: give each test set its own name", test_set.name),
            ));
        }
        let pair = own_languages.as_deref().or(languages).and_then(|languages| languages.split_once('-'));
        targets.extend(pair.map(|(_, target)| (test_set.name.clone(), target.to_owned())));
        test_sets.push(test_set);
    }
    Ok((test_sets, targets))
}

/// The lines of `set` that the campaign wants, with their pages.
fn part_of(source: &Source<'_>, set: TestSet, part: &WirePart) -> Result<TestSet, String> {
    let set = match &part.pages {
        None => set,
        Some(pages) => pages.of(set, |path| source.resolve(path))?,
    };
    match part.first {
        None => Ok(set),
        Some(0) => Err("`first` is 0; a set has at least one line".into()),
        Some(lines) => Ok(set.first(lines)),
    }
}

fn from_files(source: &Source<'_>, files: &WireFiles) -> Result<TestSet, String> {
    if let Some(fault) = name_fault(&files.name) {
        return Err(fault);
    }
    let references: Vec<_> = files.references.iter().map(|path| source.resolve(path)).collect();
    let set = TestSet::from_files(&files.name, &source.resolve(&files.source), &references)
        .map_err(|error| error.to_string())?;
    // The mark is invisible in editors, but would be part of the first sentence.
    let is_marked = set.source[0].starts_with(MARK.as_bytes())
        || set.references.iter().any(|lines| lines[0].starts_with(MARK));
    let remedy = "save source and references as UTF-8 without one";
    if is_marked {
        return Err(format!("{:?} begins with a byte order mark; {remedy}", files.name));
    }
    match &files.pages {
        None => Ok(set),
        Some(pages) => pages.of(set, |path| source.resolve(path)),
    }
}

/// Lines of words that are one token each in a drawn encoder's vocabulary.
fn drawn(source: &Source<'_>, wire: &WireTokens) -> Result<TestSet, String> {
    let WireTokens { name, tokens, lines, text } = wire;
    if let Some(fault) = name_fault(name) {
        return Err(fault);
    }
    for (key, value) in [("tokens", *tokens), ("lines", *lines)] {
        if !(1..=MOST_DRAWN).contains(&value) {
            return Err(format!("`{key}` is {value}; it must lie between 1 and {MOST_DRAWN}"));
        }
    }
    let made = lines_of_tokens(&source.resolve(text), *tokens, *lines, SEED);
    made.map(|lines| TestSet::from_lines(name, lines)).map_err(|error| error.to_string())
}

/// A test set by its name, with its languages where it names some.
fn named(
    source: &Source<'_>,
    name: &str,
    languages: Option<&str>,
) -> Result<(TestSet, Option<String>), String> {
    let folder = source.resolve(Path::new(name));
    if folder.is_dir() {
        return from_folder(&folder).map(|(set, languages)| (set, Some(languages)));
    }
    match languages {
        Some(languages) if may_be_sacrebleu(name) => {
            from_sacrebleu(name, languages).map(|set| (set, Some(languages.to_owned())))
        }
        None if may_be_sacrebleu(name) => Err(format!(
            "no folder {}; if {name:?} is a test set of sacrebleu, add languages = \"en-de\" (or others) at the top",
            folder.display()
        )),
        _ => Err(format!("no test set folder at {}", folder.display())),
    }
}
