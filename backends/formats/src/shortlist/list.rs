//! A shortlist in memory: the candidates of source words and n-grams, and the selection for a sentence.

use std::collections::HashMap;

use super::selection::Selection;

/// What a shortlist has to know of a vocabulary.
pub trait Vocabulary {
    /// Number of words.
    fn words(&self) -> usize;
    /// The id of a word; that of the unknown word where there is none.
    fn id(&self, word: &str) -> u32;
}

/// The two vocabularies of a model.
#[derive(Clone, Copy)]
pub struct Vocabularies<'a> {
    /// Of the source.
    pub source: &'a dyn Vocabulary,
    /// Of the target.
    pub target: &'a dyn Vocabulary,
    /// Whether both are one and the same file.
    pub shared: bool,
}

/// How much to keep of a lexical text: Marian's `shortlist: [path, first, best, prune]`. A binary one has been cut
/// already, and so has a vocabulary map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// So many words of the target vocabulary are always selected.
    pub first: usize,
    /// At most so many candidates for each source word.
    pub best: usize,
    /// Candidates must be more probable than this.
    pub threshold: f32,
}

impl Default for Cut {
    /// Marian's defaults.
    fn default() -> Self {
        Self { first: 100, best: 100, threshold: 0.0 }
    }
}

/// Candidates for each source word, and for n-grams of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortlist {
    pub(super) first: usize,
    pub(super) best: usize,
    pub(super) target_words: usize,
    pub(super) shared: bool,
    /// Candidates of source word s: `ids[starts[s]..starts[s + 1]]`.
    pub(super) starts: Vec<usize>,
    pub(super) ids: Vec<u32>,
    /// Selected whatever the source: a vocabulary map's 0-grams.
    pub(super) always: Vec<u32>,
    pub(super) longer: Longer,
}

/// What n-grams of two and more source words may become, beyond what their words may.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Longer {
    /// Words of the longest n-gram.
    pub(super) longest: usize,
    pub(super) targets: HashMap<Vec<u32>, Vec<u32>>,
}

impl Shortlist {
    /// Lexical candidates: those of source word s are `ids[starts[s]..starts[s + 1]]`.
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

    /// Of one vocabulary of `words` for both sides; `candidates` of each of them, in order.
    pub(crate) fn of(cut: Cut, words: usize, candidates: impl Iterator<Item = Vec<u32>>) -> Self {
        let (mut starts, mut ids) = (vec![0], Vec::new());
        for chosen in candidates {
            ids.extend(chosen);
            starts.push(ids.len());
        }
        Self::lexical(cut, words, true, starts, ids)
    }

    /// Whether it is a vocabulary map.
    pub fn is_map(&self) -> bool {
        self.longer.longest > 0
    }

    /// Without a map's n-grams of more than so many words: as if their lines weren't there.
    #[must_use]
    pub fn up_to(mut self, words: usize) -> Self {
        self.longer.targets.retain(|ngram, _| ngram.len() <= words);
        self.longer.longest = self.longer.longest.min(words);
        self
    }

    /// So many words are always selected.
    pub fn first(&self) -> usize {
        self.first
    }

    /// At most so many candidates were kept for each source word.
    pub fn best(&self) -> usize {
        self.best
    }

    /// Words of the target vocabulary.
    pub fn target_words(&self) -> usize {
        self.target_words
    }

    /// The candidates of a source word, ascending where the file has them so; none for an id outside the vocabulary.
    pub fn candidates(&self, source: u32) -> &[u32] {
        let at = source as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(start), Some(end)) => &self.ids[*start..*end],
            _ => &[],
        }
    }

    /// Whether `word` is among the candidates of any source that has `token`.
    pub fn goes_with(&self, word: u32, token: u32) -> bool {
        let same = self.shared && word == token;
        (word as usize) < self.first
            || same
            || self.always.contains(&word)
            || self.candidates(token).contains(&word)
    }

    /// A buffer for [`select`](Self::select), large enough never to grow.
    pub fn selection(&self) -> Selection {
        Selection::with_words(self.target_words)
    }

    /// Selects the target words for source `tokens` (with their end-of-sentence token), ascending, without repeats.
    /// Nothing is allocated where `selection` comes from [`selection`](Self::selection) of this shortlist.
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
