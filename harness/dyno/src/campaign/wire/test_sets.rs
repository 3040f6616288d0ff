//! Test sets in a campaign file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::source::{Source, fine_name};
use crate::campaign::blocks::{self, Shape};
use crate::campaign::pairs::read_pairs;
use crate::campaign::test_sets::{WirePages, from_folder, from_sacrebleu, may_be_sacrebleu, paged};
use crate::exit::Outcome;
use dyno_formats::lines_of_tokens;
use dyno_measure::TestSet;

/// Test set: a name or folder, or what it is made of.
#[derive(Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a test set is a folder, a sacrebleu name, { set, first, pages }, { name, source, references, pages }, { name, pairs }, { name, tokens, lines, text }, or { name, pages, lines, words, text }"
)]
pub(super) enum WireTestSet {
    /// Folder, or name of a test set of sacrebleu.
    Named(String),
    /// Folder or name, of which the first lines are taken, or with pages of the campaign's own.
    Part { set: String, first: Option<usize>, pages: Option<WirePages> },
    /// Plain files of lines.
    Files {
        name: String,
        source: PathBuf,
        #[serde(default)]
        references: Vec<PathBuf>,
        pages: Option<WirePages>,
    },
    /// File of pairs for encoders: two sentences and a gold score in each row.
    Pairs { name: String, pairs: PathBuf },
    /// Lines of so many tokens, with the two that an encoder adds, from the text of a drawn encoder's recipe.
    Tokens { name: String, tokens: usize, lines: usize, text: PathBuf },
    /// Blocks of drawn shape with the words of a text, for the track `pages`.
    Blocks { name: String, pages: usize, lines: usize, words: usize, text: PathBuf },
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
        let (test_set, own_languages) = source.check(entry, |wire| loaded(source, wire, languages))?;
        if test_sets.iter().any(|other| other.name == test_set.name) {
            let fault =
                format!("a second test set named {:?}: give each test set its own name", test_set.name);
            return Err(source.error_at(span, fault));
        }
        let pair = own_languages.as_deref().or(languages).and_then(|languages| languages.split_once('-'));
        targets.extend(pair.map(|(_, target)| (test_set.name.clone(), target.to_owned())));
        test_sets.push(test_set);
    }
    Ok((test_sets, targets))
}

/// A test set, with its languages where it names some.
fn loaded(
    source: &Source<'_>,
    wire: WireTestSet,
    languages: Option<&str>,
) -> Result<(TestSet, Option<String>), String> {
    let set = match wire {
        WireTestSet::Named(name) => return named(source, &name, languages),
        WireTestSet::Part { set, first, pages } => {
            let (set, own) = named(source, &set, languages)?;
            let set = paged(set, pages.as_ref(), |path| source.resolve(path))?;
            return match first {
                None => Ok((set, own)),
                Some(0) => Err("`first` is 0; a set has at least one line".into()),
                Some(lines) => Ok((set.first(lines), own)),
            };
        }
        WireTestSet::Files { name, source: file, references, pages } => {
            let references: Vec<_> = references.iter().map(|path| source.resolve(path)).collect();
            let set = from_files(&fine_name(name)?, &source.resolve(&file), &references)?;
            paged(set, pages.as_ref(), |path| source.resolve(path))
        }
        WireTestSet::Pairs { name, pairs } => read_pairs(&fine_name(name)?, &source.resolve(&pairs)),
        WireTestSet::Blocks { name, pages, lines, words, text } => {
            blocks::drawn(&fine_name(name)?, &source.resolve(&text), Shape { pages, lines, words })
        }
        WireTestSet::Tokens { name, tokens, lines, text } => {
            drawn(&fine_name(name)?, [tokens, lines], &source.resolve(&text))
        }
    };
    Ok((set?, None))
}

fn from_files(name: &str, source: &Path, references: &[PathBuf]) -> Result<TestSet, String> {
    let set = TestSet::from_files(name, source, references).map_err(|error| error.to_string())?;
    // The mark is invisible in editors, but would be part of the first sentence.
    let is_marked = set.source[0].starts_with(MARK.as_bytes())
        || set.references.iter().any(|lines| lines[0].starts_with(MARK));
    let remedy = "save source and references as UTF-8 without one";
    if is_marked { Err(format!("{name:?} begins with a byte order mark; {remedy}")) } else { Ok(set) }
}

/// Lines of words that are one token each in a drawn encoder's vocabulary.
fn drawn(name: &str, [tokens, lines]: [usize; 2], text: &Path) -> Result<TestSet, String> {
    for (key, value) in [("tokens", tokens), ("lines", lines)] {
        if !(1..=MOST_DRAWN).contains(&value) {
            return Err(format!("`{key}` is {value}; it must lie between 1 and {MOST_DRAWN}"));
        }
    }
    let made = lines_of_tokens(text, tokens, lines, SEED);
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
        _ => Err(format!(
            "no test set folder at {}; give a folder with a testset.toml, a name of sacrebleu, or {{ name, source, references }}",
            folder.display()
        )),
    }
}
