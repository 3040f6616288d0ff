//! Vocabulary of a generated model, and candidates of its words.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::draw::{Draw, SPECIAL};
use super::recipe::read;
use crate::Result;
use crate::shortlist::{Cut, Shortlist};

/// The words of a text as a translator's vocabulary has them: what stands between blanks.
pub(super) fn between_blanks(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The words of a text that are one word for BERT's tokeniser as well: letters of English in lower case.
pub(super) fn letters(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let plain = |word: &&str| word.bytes().all(|byte| byte.is_ascii_alphabetic());
    words.filter(plain).map(str::to_ascii_lowercase).collect()
}

/// `lines` lines of `tokens` tokens each, for drawn encoders whose recipe has the same `text`: consecutive
/// words of the text from a place that is drawn for each line. An encoder adds two tokens to a line.
///
/// # Errors
/// When the text can't be read, or lines would have no words.
pub fn lines_of_tokens(text: &Path, tokens: usize, lines: usize, seed: u64) -> Result<Vec<String>> {
    /// Tokens that an encoder adds to each line.
    const ENDS: usize = 2;
    let words = letters(&read(text)?);
    let count = tokens.saturating_sub(ENDS);
    if count == 0 || words.is_empty() {
        let fault = format!("lines of {tokens} tokens have no words; {} is the least", ENDS + 1);
        return Err(crate::Error::content(text, fault));
    }
    let mut draw = Draw::new(seed, &format!("lines of {tokens} tokens"));
    let mut line = || {
        let from = (draw.share() * words.len() as f64) as usize;
        words.iter().cycle().skip(from).take(count).cloned().collect::<Vec<_>>().join(" ")
    };
    Ok((0..lines).map(|_| line()).collect())
}

/// Words by id.
pub(super) struct Words(Vec<String>);

impl Words {
    /// `count` words: the `special` ones, the words of the texts that `divide` finds, most frequent first,
    /// then invented words.
    pub(super) fn read(
        special: &[&str],
        texts: &[PathBuf],
        divide: fn(&str) -> Vec<String>,
        count: usize,
    ) -> Result<Self> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for path in texts {
            divide(&read(path)?).into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
        }
        counts.retain(|word, _| !special.contains(&word.as_str()));
        let mut found: Vec<(String, usize)> = counts.into_iter().collect();
        // stable: equally frequent words keep their order
        found.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let known: BTreeSet<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
        let invented = (0..).map(|number| format!("w{number}")).filter(|word| !known.contains(word.as_str()));
        let special = special.iter().map(|word| (*word).to_owned());
        let words = special.chain(found.iter().map(|(word, _)| word.clone())).chain(invented);
        Ok(Self(words.take(count).collect()))
    }

    /// The vocabulary as text, with a word in each line.
    pub(super) fn list(&self) -> String {
        self.0.join("\n") + "\n"
    }

    /// As many candidates for each word as `cut` keeps. Frequent words are candidates of many words, as in text.
    pub(super) fn shortlist(&self, cut: Cut, seed: u64) -> Shortlist {
        let mut draw = Draw::new(seed, "shortlist");
        let ordinary = self.0.len() - SPECIAL.len();
        let best = cut.best.min(ordinary / 2);
        let candidates = self.0.iter().enumerate().map(|(word, _)| {
            let mut chosen = BTreeSet::new();
            while word >= SPECIAL.len() && chosen.len() < best {
                chosen.insert((SPECIAL.len() + draw.place(ordinary)) as u32);
            }
            chosen.into_iter().collect()
        });
        Shortlist::of(Cut { best, ..cut }, self.0.len(), candidates)
    }
}
