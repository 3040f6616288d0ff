//! Shortlists: for each source word, or n-gram of them, the target words that it may become.
//!
//! Marian has two lexical forms, text ([`text`]) and binary ([`binary`]); a vocabulary map ([`map`]) has n-grams.
//! All become one [`Shortlist`], and selection follows Marian's rule: the first (most frequent) words, the candidates
//! of every source token and n-gram, with one shared vocabulary the source tokens themselves, filled up with the next words to a multiple of 8, ascending. Marian selects for a batch;
//! here the caller says which tokens count: those of a sentence, if its translation may not depend on others.

pub mod binary;
pub mod map;
pub mod text;

use std::collections::HashMap;
use std::path::Path;

use crate::bytes::Bytes;
use crate::error::Located;
use crate::{Fault, Result};

/// Selections are filled up to a multiple of this: intgemm's tile of columns, hence part of the rule.
const MULTIPLE: usize = 8;

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
    first: usize,
    best: usize,
    target_words: usize,
    shared: bool,
    /// Candidates of source word s: `ids[starts[s]..starts[s + 1]]`.
    starts: Vec<usize>,
    ids: Vec<u32>,
    /// Selected whatever the source: a vocabulary map's 0-grams.
    always: Vec<u32>,
    longer: Longer,
}

/// What n-grams of two and more source words may become, beyond what their words may.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Longer {
    /// Words of the longest n-gram.
    longest: usize,
    targets: HashMap<Vec<u32>, Vec<u32>>,
}

impl Shortlist {
    /// Reads any form; told by content. `cut` matters for lexical text only.
    ///
    /// # Errors
    /// One line that names the file and the fault.
    pub fn open(path: &Path, cut: Cut, vocabularies: Vocabularies<'_>) -> Result<Self> {
        let bytes = Bytes::map(path)?;
        Self::from_bytes(&bytes, cut, vocabularies).in_file(path)
    }

    /// The same over bytes in memory.
    ///
    /// # Errors
    /// The first fault.
    pub fn from_bytes(bytes: &[u8], cut: Cut, vocabularies: Vocabularies<'_>) -> Result<Self, Fault> {
        if binary::is_binary(bytes) {
            binary::parse(
                bytes,
                vocabularies.source.words(),
                vocabularies.target.words(),
                vocabularies.shared,
            )
        } else if map::is_map(bytes) {
            map::parse(bytes, vocabularies)
        } else {
            text::parse(bytes, cut, vocabularies)
        }
    }

    /// Lexical candidates: those of source word s are `ids[starts[s]..starts[s + 1]]`.
    fn lexical(cut: Cut, target_words: usize, shared: bool, starts: Vec<usize>, ids: Vec<u32>) -> Self {
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
        let words = self.target_words.div_ceil(u64::BITS as usize);
        Selection { marks: vec![0; words], ids: Vec::with_capacity(self.target_words) }
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

/// The buffer of a selection: a bit for each target word, and the list of those that are set.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    marks: Vec<u64>,
    ids: Vec<u32>,
}

impl Selection {
    /// The selected ids, ascending: position in the shortened output layer → word.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    fn reset(&mut self, words: usize, first: usize) {
        self.marks.clear();
        self.marks.resize(words.div_ceil(u64::BITS as usize), 0);
        self.marks[..first / 64].fill(u64::MAX);
        if !first.is_multiple_of(64) {
            self.marks[first / 64] = (1 << (first % 64)) - 1;
        }
    }

    /// Every id that comes here is below the number of words: the parsers checked the candidates.
    fn mark(&mut self, id: u32) {
        self.marks[id as usize / 64] |= 1 << (id % 64);
    }

    fn is_marked(&self, id: usize) -> bool {
        self.marks[id / 64] >> (id % 64) & 1 == 1
    }

    /// Marks words from `first` upward until their number is a multiple of 8, as far as there are words. (Marian's
    /// text form goes on beyond the vocabulary; its binary form stops as we do.)
    fn fill_up(&mut self, first: usize, words: usize) {
        let marked: u32 = self.marks.iter().map(|word| word.count_ones()).sum();
        let mut missing = (marked as usize).next_multiple_of(MULTIPLE) - marked as usize;
        for id in first..words {
            if missing == 0 {
                return;
            }
            if !self.is_marked(id) {
                self.mark(id as u32);
                missing -= 1;
            }
        }
    }

    fn list(&mut self) -> &[u32] {
        self.ids.clear();
        for (at, word) in self.marks.iter().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                self.ids.push(at as u32 * u64::BITS + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        &self.ids
    }
}
