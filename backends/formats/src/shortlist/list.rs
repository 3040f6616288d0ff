//! A shortlist in memory: the candidates of source words and n-grams, and the selection for a sentence.

use std::collections::HashMap;

use super::selection::Selection;

/// A vocabulary in the interface of shortlists.
pub trait Vocabulary {
    /// Number of words.
    fn words(&self) -> usize;
    /// Id of a word; the unknown word's id where the vocabulary lacks the word.
    fn id(&self, word: &str) -> u32;
}

/// The two vocabularies of a model.
#[derive(Clone, Copy)]
pub struct Vocabularies<'a> {
    /// Source vocabulary.
    pub source: &'a dyn Vocabulary,
    /// Target vocabulary.
    pub target: &'a dyn Vocabulary,
    /// Whether both are one file.
    pub shared: bool,
}

/// Cut of a lexical text: Marian's `shortlist: [path, first, best, prune]`. Binary shortlists and vocabulary
/// maps are cut already.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// Number of first target words that every selection contains.
    pub first: usize,
    /// Greatest number of candidates for a source word.
    pub best: usize,
    /// Threshold that a candidate's probability must exceed.
    pub threshold: f32,
}

impl Default for Cut {
    /// Marian's defaults.
    fn default() -> Self {
        Self { first: 100, best: 100, threshold: 0.0 }
    }
}

/// Candidates of source words and of n-grams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortlist {
    pub(super) first: usize,
    pub(super) best: usize,
    pub(super) target_words: usize,
    pub(super) shared: bool,
    /// Candidates of source word s: `ids[starts[s]..starts[s + 1]]`.
    pub(super) starts: Vec<usize>,
    pub(super) ids: Vec<u32>,
    /// Words of every selection: a vocabulary map's 0-grams.
    pub(super) always: Vec<u32>,
    pub(super) longer: Longer,
}

/// Candidates of n-grams with two or more source words, in addition to the candidates of their words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Longer {
    /// Number of words in the longest n-gram.
    pub(super) longest: usize,
    pub(super) targets: HashMap<Vec<u32>, Vec<u32>>,
}

impl Shortlist {
    /// A lexical shortlist; the candidates of source word s are `ids[starts[s]..starts[s + 1]]`.
    pub(super) fn lexical(
        cut: Cut,
        target_words: usize,
        shared: bool,
        starts: Vec<usize>,
        ids: Vec<u32>,
    ) -> Self {
        let Cut { first, best, .. } = cut;
        Self { first, best, target_words, shared, starts, ids, always: Vec::new(), longer: Longer::default() }
    }

    /// A shortlist over one vocabulary of `words` words for both sides, with the candidates of each word in
    /// order.
    pub(crate) fn of(cut: Cut, words: usize, candidates: impl Iterator<Item = Vec<u32>>) -> Self {
        let (mut starts, mut ids) = (vec![0], Vec::new());
        for chosen in candidates {
            ids.extend(chosen);
            starts.push(ids.len());
        }
        Self::lexical(cut, words, true, starts, ids)
    }

    /// Whether the shortlist is a vocabulary map.
    pub fn is_map(&self) -> bool {
        self.longer.longest > 0
    }

    /// The same shortlist without a map's n-grams of more than `words` words.
    #[must_use]
    pub fn up_to(mut self, words: usize) -> Self {
        self.longer.targets.retain(|ngram, _| ngram.len() <= words);
        self.longer.longest = self.longer.longest.min(words);
        self
    }

    /// Number of first words that every selection contains.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Greatest number of candidates that a source word kept.
    pub fn best(&self) -> usize {
        self.best
    }

    /// Number of words in the target vocabulary.
    pub fn target_words(&self) -> usize {
        self.target_words
    }

    /// Candidates of a source word, in the order of the file; empty for an id outside the vocabulary.
    pub fn candidates(&self, source: u32) -> &[u32] {
        let at = source as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(start), Some(end)) => &self.ids[*start..*end],
            _ => &[],
        }
    }

    /// Whether every selection with the source word `token` contains `word`.
    pub fn goes_with(&self, word: u32, token: u32) -> bool {
        let same = self.shared && word == token;
        (word as usize) < self.first
            || same
            || self.always.contains(&word)
            || self.candidates(token).contains(&word)
    }

    /// A buffer for [`select`](Self::select) that never has to grow.
    pub fn selection(&self) -> Selection {
        Selection::with_words(self.target_words)
    }

    /// Selects the target words for source `tokens` (with the end of the sentence), ascending, without
    /// repeats. With a `selection` of this shortlist, nothing is allocated.
    pub fn select<'a>(&self, tokens: &[u32], selection: &'a mut Selection) -> &'a [u32] {
        selection.reset(self.target_words, self.first.min(self.target_words));
        self.always.iter().for_each(|id| selection.mark(*id));
        for (at, token) in tokens.iter().enumerate() {
            if self.shared && (*token as usize) < self.target_words {
                selection.mark(*token);
            }
            let from_here = &tokens[at..tokens.len().min(at + self.longer.longest)];
            let longer = (2..=from_here.len()).filter_map(|size| self.longer.targets.get(&from_here[..size]));
            self.candidates(*token).iter().chain(longer.flatten()).for_each(|id| selection.mark(*id));
        }
        selection.fill_up(self.first, self.target_words);
        selection.list()
    }
}
