//! The n-gram form: a vocabulary map (OpenNMT 2018, 3.3), which has candidates of phrases as well as of
//! words.
//!
//! A line has an n-gram of source words, a tab, and target words, all words separated by single spaces. The
//! words of the empty n-gram are in every selection. CTranslate2 reads the same text. A map has its own
//! frequent words, so that no [`Cut`](super::Cut) applies. The end of the sentence and the unknown word need
//! not stand in it.

use std::collections::{BTreeMap, HashMap};

use super::list::{Longer, Shortlist, Vocabularies, Vocabulary};
use super::text::{Scattered, looked_up};

use crate::Fault;
use crate::bytes::not_utf8;

/// Words of every selection, as in CTranslate2: a translation must be able to end.
const SPECIAL: [&str; 2] = ["</s>", "<unk>"];

/// Whether `bytes` are a vocabulary map. Its lines have one tab; the lines of a lexical shortlist have none
/// or two.
pub(crate) fn is_map(bytes: &[u8]) -> bool {
    let first = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    first.is_some_and(|line| line.iter().filter(|byte| **byte == b'\t').count() == 1)
}

/// Checks whether `bytes` are a vocabulary map that the reader accepts with any vocabulary.
///
/// # Errors
/// The first fault, with its line.
pub fn check(bytes: &[u8]) -> Result<(), Fault> {
    parse(bytes, Scattered::BOTH).map(drop)
}

pub(super) fn parse(bytes: &[u8], vocabularies: Vocabularies<'_>) -> Result<Shortlist, Fault> {
    let mut grams: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if let Some((gram, targets)) = entry(line, vocabularies).map_err(|fault| fault.at(index + 1, 1))? {
            grams.entry(gram).or_default().extend(targets);
        }
    }
    let always = grams.entry(Vec::new()).or_default();
    always.extend(SPECIAL.map(|word| vocabularies.target.id(word)));
    Ok(assemble(grams, vocabularies))
}

/// An n-gram and its candidates.
type Entry = (Vec<u32>, Vec<u32>);

/// Parses a line; `None` for an empty line.
fn entry(line: &[u8], vocabularies: Vocabularies<'_>) -> Result<Option<Entry>, Fault> {
    let line = std::str::from_utf8(line).map_err(not_utf8)?;
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.is_empty() {
        return Ok(None);
    }
    let (gram, targets) = line
        .split_once('\t')
        .filter(|(_, targets)| !targets.contains('\t'))
        .ok_or("an n-gram, a tab and its target words were expected")?;
    Ok(Some((ids(gram, vocabularies.source)?, ids(targets, vocabularies.target)?)))
}

fn ids(words: &str, vocabulary: &dyn Vocabulary) -> Result<Vec<u32>, Fault> {
    words.split(' ').filter(|word| !word.is_empty()).map(|word| looked_up(word, vocabulary)).collect()
}

fn assemble(mut grams: BTreeMap<Vec<u32>, Vec<u32>>, vocabularies: Vocabularies<'_>) -> Shortlist {
    let mut list = Shortlist {
        first: 0,
        best: grams.values().map(Vec::len).max().unwrap_or(0),
        target_words: vocabularies.target.words(),
        shared: vocabularies.shared,
        starts: vec![0],
        ids: Vec::new(),
        always: grams.remove(&Vec::new()).unwrap_or_default(),
        longer: Longer::default(),
    };
    for source in 0..vocabularies.source.words() as u32 {
        list.ids.extend(grams.remove([source].as_slice()).unwrap_or_default());
        list.starts.push(list.ids.len());
    }
    let longest = grams.keys().map(Vec::len).max().unwrap_or(1);
    list.longer = Longer { longest, targets: HashMap::from_iter(grams) };
    list
}
