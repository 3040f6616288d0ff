//! Altered lines: copies of lines of the test set with some words replaced. A system that knows the set by
//! heart doesn't know the copies.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use dyno_stats::Random;
use itertools::Itertools;

use crate::constants::SEVERAL;
use crate::text::ordinary_of;

/// Ordinary lines of the test set that have a content word to replace. The replacement has the same length,
/// so that a copy takes the same work.
pub struct AlterableLines {
    /// Lines as they stand in the set.
    pub lines: Vec<Vec<u8>>,
    /// Content words of the set by their number of characters, each as often as it occurs.
    vocabulary: HashMap<usize, Vec<String>>,
    /// Words that the copies under way lose, by their number of characters. They change places among the copies:
    /// copies then have the words of their lines, and a memory of words saves as much on either side.
    lost: HashMap<usize, Vec<String>>,
    /// Lines that a system may know: the set, and all copies so far.
    known: HashSet<Vec<u8>>,
    random: Random,
}

impl AlterableLines {
    /// Up to `count` lines of `source`, in random order.
    pub fn of(source: &[Vec<u8>], count: usize, mut random: Random) -> Self {
        let known: HashSet<Vec<u8>> = source.iter().cloned().collect();
        let lines = ordinary_of(source, &mut random);
        let words = source.iter().flat_map(|line| content_words(line));
        let vocabulary = words.into_group_map_by(|word| word.chars().count());
        let lost = HashMap::new();
        let mut alterable = Self { lines: Vec::new(), vocabulary, lost, known, random };
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
        let most = |at: usize| if at.is_multiple_of(2) { 1 } else { SEVERAL };
        self.lose(
            lines.iter().enumerate().flat_map(|(at, line)| longest_first(line).into_iter().take(most(at))),
        );
        let turn = |(at, line): (usize, &Vec<u8>)| {
            self.copy(line, most(at)).unwrap_or_else(|| AlteredLine { line: line.clone(), exchanged: 0 })
        };
        let copies: Vec<AlteredLine> = lines.iter().enumerate().map(turn).collect();
        self.known.extend(copies.iter().map(|copy| copy.line.clone()));
        copies
    }

    /// Two copies of each of `lines`.
    pub fn two_copies(&mut self, lines: &[Vec<u8>]) -> [Vec<AlteredLine>; 2] {
        [self.copies(lines), self.copies(lines)]
    }

    /// Makes `words` those that change places, in random order.
    fn lose(&mut self, words: impl Iterator<Item = String>) {
        self.lost = words.into_group_map_by(|word| word.chars().count());
        // The order of a map is none of the seed's.
        for (_, words) in self.lost.iter_mut().sorted_by_key(|(length, _)| **length) {
            self.random.shuffle(words);
        }
    }

    /// A copy with up to `most` words replaced: the longest word, and other words before it. The longest word
    /// is replaced last, so that it leaves a choice of unknown copies.
    fn copy(&mut self, line: &[u8], most: usize) -> Option<AlteredLine> {
        let own = longest_first(line);
        let (longest, further) = own.split_first()?;
        let mut text = String::from_utf8_lossy(line).into_owned();
        let mut exchanged = 1;
        for old in further {
            if exchanged == most {
                break;
            }
            let start = self.random.draw();
            let new = self.candidates(old, &own, start).next().cloned();
            if let Some(new) = new {
                text = exchange(&text, old, &new);
                self.take(&new);
                exchanged += 1;
            }
        }
        let start = self.random.draw();
        let line = |new: &String| exchange(&text, longest, new).into_bytes();
        let is_new = |new: &&String| !self.known.contains(&line(new));
        let candidates = || self.candidates(longest, &own, start);
        let new = candidates().find(is_new).or(candidates().next())?.clone();
        self.take(&new);
        Some(AlteredLine { line: line(&new), exchanged })
    }

    /// Words that may replace `old`: first those that other copies lose, then others as long, from `start` onwards.
    /// None of them is in `own`.
    fn candidates<'a>(
        &'a self,
        old: &str,
        own: &'a [String],
        start: u64,
    ) -> impl Iterator<Item = &'a String> {
        let length = old.chars().count();
        let [lost, words] =
            [&self.lost, &self.vocabulary].map(|of| of.get(&length).map_or(&[][..], Vec::as_slice));
        let (before, after) = words.split_at(start as usize % words.len().max(1));
        lost.iter().chain(after).chain(before).filter(|word| !own.contains(word))
    }

    /// Takes a word from those that copies lose: it has found its place.
    fn take(&mut self, word: &str) {
        let Some(lost) = self.lost.get_mut(&word.chars().count()) else { return };
        if let Some(at) = lost.iter().position(|lost| lost == word) {
            lost.swap_remove(at);
        }
    }
}

/// A line that no set holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlteredLine {
    /// Text of the line.
    pub line: Vec<u8>,
    /// Number of words that differ from the original's.
    pub exchanged: usize,
}

impl AlteredLine {
    /// Whether this copy and another one differ from their line, and from each other, in the same words.
    pub fn matches(&self, other: &Self) -> bool {
        self.exchanged > 0 && self.exchanged == other.exchanged && self.line != other.line
    }
}

fn exchange(text: &str, old: &str, new: &str) -> String {
    text.split(' ').map(|word| if word == old { new } else { word }).join(" ")
}

fn longest_first(line: &[u8]) -> Vec<String> {
    let own = content_words(line).into_iter();
    own.sorted_by_key(|word| Reverse(word.chars().count())).dedup().collect()
}

/// Words of at least four lower-case letters. Such words carry the content, in languages that have letter
/// case.
fn content_words(line: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(line);
    let is_content = |word: &&str| word.chars().count() >= 4 && word.chars().all(char::is_lowercase);
    text.split_whitespace().filter(is_content).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::split_lines;

    /// How often each word of `lines` occurs.
    fn counts(lines: &[Vec<u8>]) -> HashMap<Vec<u8>, i32> {
        let mut counts = HashMap::new();
        for word in lines.iter().flat_map(|line| line.split(|&byte| byte == b' ')) {
            *counts.entry(word.to_vec()).or_default() += 1;
        }
        counts
    }

    #[test]
    fn lines_of_any_length_have_copies() {
        let source: Vec<Vec<u8>> =
            (0..20).map(|i| format!("{}{i}", ["green ", "small "][i % 2].repeat(70)).into_bytes()).collect();
        let mut alterable = AlterableLines::of(&source, 0, Random::new(1, "copies"));
        assert!(alterable.copies(&source).iter().all(|copy| copy.exchanged == 1));
    }

    #[test]
    fn copies_have_the_words_of_their_lines() {
        let text = include_str!("../verify/spare.txt");
        let source: Vec<Vec<u8>> = split_lines(text.as_bytes()).map(<[u8]>::to_vec).take(400).collect();
        for seed in 0..5 {
            let mut alterable = AlterableLines::of(&source, 120, Random::new(seed, "copies"));
            let lines = alterable.lines.clone();
            let copies: Vec<Vec<u8>> = alterable.copies(&lines).into_iter().map(|copy| copy.line).collect();
            let (before, after) = (counts(&lines), counts(&copies));
            let gone = before.iter().map(|(word, n)| (n - after.get(word).unwrap_or(&0)).max(0)).sum::<i32>();
            let exchanged = lines.len() * 3 / 2;
            assert!(10 * gone as usize <= exchanged, "{gone} words of {exchanged} have no place in a copy");
            assert!(copies.iter().all(|copy| !source.contains(copy)), "a copy is no line of the set");
        }
    }
}
