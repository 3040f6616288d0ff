//! Altered lines: copies of lines of the test set with some words replaced. A system that knows the set by
//! heart doesn't know the copies.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::lines::ordinary_of;
use dyno_stats::Random;

/// Words that are replaced in every other copy, if the line has as many. With more replaced words the copy
/// would be nonsense, over which a translator may honestly take longer.
const SEVERAL: usize = 2;

/// Ordinary lines of the test set that have a content word to replace. The replacement has the same length,
/// so that a copy takes the same work.
pub struct AlterableLines {
    /// Lines as they stand in the set.
    pub lines: Vec<Vec<u8>>,
    /// Content words of the set by their number of characters, each as often as it occurs.
    vocabulary: HashMap<usize, Vec<String>>,
    /// Lines that a system may know: the set, and all copies so far.
    known: HashSet<Vec<u8>>,
    random: Random,
}

impl AlterableLines {
    /// Up to `count` lines of `source`, in random order.
    pub fn of(source: &[Vec<u8>], count: usize, mut random: Random) -> Self {
        let known: HashSet<Vec<u8>> = source.iter().cloned().collect();
        let lines = ordinary_of(source, &mut random);
        let mut vocabulary: HashMap<usize, Vec<String>> = HashMap::new();
        for word in lines.iter().flat_map(|line| content_words(line)) {
            vocabulary.entry(word.chars().count()).or_default().push(word);
        }
        let mut alterable = Self { lines: Vec::new(), vocabulary, known, random };
        let has_copy = |line: &Vec<u8>| {
            alterable.copy(line, 1).is_some_and(|copy| !alterable.known.contains(&copy.line))
        };
        alterable.lines = lines.into_iter().filter(has_copy).take(count).collect();
        alterable
    }

    /// One copy of each of `lines`. No copy is made twice, as long as there are enough words. Every other
    /// copy has several words replaced: a system that recognises sentences with one other word doesn't
    /// recognise those. A line without content words stays as it is.
    pub fn copies(&mut self, lines: &[Vec<u8>]) -> Vec<AlteredLine> {
        let turn = |(at, line): (usize, &Vec<u8>)| {
            let most = if at % 2 == 0 { 1 } else { SEVERAL };
            self.copy(line, most).unwrap_or_else(|| AlteredLine { line: line.clone(), exchanged: 0 })
        };
        let copies: Vec<AlteredLine> = lines.iter().enumerate().map(turn).collect();
        self.known.extend(copies.iter().map(|copy| copy.line.clone()));
        copies
    }

    /// A copy with up to `most` words replaced: the longest word, and other words before it. The longest word
    /// is replaced last, so that it leaves a choice of unknown copies.
    fn copy(&mut self, line: &[u8], most: usize) -> Option<AlteredLine> {
        let mut own = content_words(line);
        own.sort_by_key(|word| Reverse(word.chars().count()));
        own.dedup();
        let (longest, further) = own.split_first()?;
        let mut text = String::from_utf8_lossy(line).into_owned();
        let mut exchanged = 1;
        for old in further {
            if exchanged == most {
                break;
            }
            if let Some(new) = replacements(&self.vocabulary, &mut self.random, old, &own).next() {
                text = exchange(&text, old, new);
                exchanged += 1;
            }
        }
        let Self { vocabulary, known, random, .. } = self;
        let mut lines = replacements(vocabulary, random, longest, &own)
            .map(|new| exchange(&text, longest, new).into_bytes());
        let first = lines.next()?;
        let is_new = |line: &Vec<u8>| !known.contains(line);
        let line = if is_new(&first) { first } else { lines.find(is_new).unwrap_or(first) };
        Some(AlteredLine { line, exchanged })
    }
}

/// Words as long as `old` that don't occur in `own`, from a random place onwards.
fn replacements<'a>(
    vocabulary: &'a HashMap<usize, Vec<String>>,
    random: &mut Random,
    old: &str,
    own: &'a [String],
) -> impl Iterator<Item = &'a String> {
    let words = vocabulary.get(&old.chars().count()).map_or(&[][..], Vec::as_slice);
    let (before, after) = words.split_at(random.below(words.len().max(1)).min(words.len()));
    after.iter().chain(before).filter(|word| !own.contains(word))
}

/// A line that no set holds.
pub struct AlteredLine {
    /// Text of the line.
    pub line: Vec<u8>,
    /// Number of words that differ from the original's.
    pub exchanged: usize,
}

/// Replaces each word `old` of `text` by `new`.
fn exchange(text: &str, old: &str, new: &str) -> String {
    text.split(' ').map(|word| if word == old { new } else { word }).collect::<Vec<_>>().join(" ")
}

/// Words of at least four lower-case letters. Such words carry the content, in languages that have letter
/// case.
fn content_words(line: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(line);
    let is_content = |word: &&str| word.chars().count() >= 4 && word.chars().all(char::is_lowercase);
    text.split_whitespace().filter(is_content).map(str::to_owned).collect()
}
