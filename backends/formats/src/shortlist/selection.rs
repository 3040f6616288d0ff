//! The selection of a sentence: a set of target words, filled up as Marian does it.

/// Number of which a selection's length is a multiple: the width of intgemm's tiles, and so part of Marian's
/// rule.
const MULTIPLE: usize = 8;

/// A selection in a reusable buffer: a bit for each target word, and the list of the set bits.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    marks: Vec<u64>,
    ids: Vec<u32>,
}

impl Selection {
    /// A selection that never grows for a vocabulary of so many words.
    pub(super) fn with_words(words: usize) -> Self {
        Self { marks: vec![0; words.div_ceil(u64::BITS as usize)], ids: Vec::with_capacity(words) }
    }

    /// Selected ids, ascending: position in the shortened output layer → word.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    pub(super) fn reset(&mut self, words: usize, first: usize) {
        self.marks.clear();
        self.marks.resize(words.div_ceil(u64::BITS as usize), 0);
        self.marks[..first / 64].fill(u64::MAX);
        if !first.is_multiple_of(64) {
            self.marks[first / 64] = (1 << (first % 64)) - 1;
        }
    }

    /// Marks a word. Parsers have checked that all ids are below the number of words.
    pub(super) fn mark(&mut self, id: u32) {
        self.marks[id as usize / 64] |= 1 << (id % 64);
    }

    fn is_marked(&self, id: usize) -> bool {
        self.marks[id / 64] >> (id % 64) & 1 == 1
    }

    /// Marks words from `first` upward until the number of marks is a multiple of 8, or no words are left.
    /// Marian's text form goes on beyond the vocabulary; its binary form stops as here.
    pub(super) fn fill_up(&mut self, first: usize, words: usize) {
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

    pub(super) fn list(&mut self) -> &[u32] {
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
