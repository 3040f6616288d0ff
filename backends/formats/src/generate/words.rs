//! Vocabulary of a generated model, and candidates of its words.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::draw::Draw;
use super::recipe::read;
use crate::Result;
use crate::shortlist::{Cut, Shortlist};

/// First words of a vocabulary: the end of the sentence and the unknown word.
const SPECIAL: [&str; 2] = ["</s>", "<unk>"];

/// Words by id.
pub(super) struct Words(Vec<String>);

impl Words {
    /// `count` words: the words of the texts, most frequent first, then invented words.
    pub(super) fn read(texts: &[PathBuf], count: usize) -> Result<Self> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for path in texts {
            let text = read(path)?;
            text.split_whitespace().for_each(|word| *counts.entry(word.into()).or_default() += 1);
        }
        counts.retain(|word, _| !SPECIAL.contains(&word.as_str()));
        let mut found: Vec<(String, usize)> = counts.into_iter().collect();
        // stable: equally frequent words keep their order
        found.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let known: BTreeSet<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
        let invented = (0..).map(|number| format!("w{number}")).filter(|word| !known.contains(word.as_str()));
        let special = SPECIAL.iter().map(|word| (*word).to_owned());
        let words = special.chain(found.iter().map(|(word, _)| word.clone())).chain(invented);
        Ok(Self(words.take(count).collect()))
    }

    /// The vocabulary as text, with a word in each line.
    pub(super) fn list(&self) -> String {
        self.0.join("\n") + "\n"
    }

    /// As many candidates for each word as `cut` keeps. Frequent words are candidates of many words, as in
    /// text: the square of a uniform number puts half of all candidates among the first quarter of the words.
    pub(super) fn shortlist(&self, cut: Cut, seed: u64) -> Shortlist {
        let mut draw = Draw::new(seed, "shortlist");
        let ordinary = self.0.len() - SPECIAL.len();
        let best = cut.best.min(ordinary / 2);
        let candidates = self.0.iter().enumerate().map(|(word, _)| {
            let mut chosen = BTreeSet::new();
            while word >= SPECIAL.len() && chosen.len() < best {
                chosen.insert((SPECIAL.len() + (draw.share().powi(2) * ordinary as f64) as usize) as u32);
            }
            chosen.into_iter().collect()
        });
        Shortlist::of(Cut { best, ..cut }, self.0.len(), candidates)
    }
}
