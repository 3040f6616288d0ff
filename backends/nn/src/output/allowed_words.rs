//! The words that a row may choose: the union of the candidates of several sentences, and a mask for each
//! row.

use dyno_kernels::Mask;

use crate::network::Sentence;

/// Number of sentences that share one gathered matrix. With fewer sentences, products have too few rows. With
/// more, the union outgrows the candidates of one sentence. The union of 32 captions is ten times as large as
/// one caption's candidates, the union of eight 4.5 times, and of four 2.7 times. A translation of captions
/// takes 1 to 8 % less time with groups of four than of eight. Groups of two are as fast or slower, and
/// groups of six are slower.
pub(super) const GROUP: usize = 4;

/// The union of the candidates of some sentences.
#[derive(Default)]
pub(super) struct Union {
    /// Candidates, ascending: word i is column i.
    pub(super) words: Vec<u32>,
    /// A bit for each word of the vocabulary.
    bits: Vec<u64>,
    /// Number of candidates before each 64 words.
    before: Vec<u32>,
}

impl Union {
    /// Replaces the union by that of `batch`.
    pub(super) fn set(&mut self, batch: &[Sentence<'_>], vocabulary: usize) {
        self.bits.clear();
        self.bits.resize(vocabulary.div_ceil(64), 0);
        for word in batch.iter().flat_map(|sentence| sentence.candidates.unwrap_or_default()) {
            self.bits[*word as usize / 64] |= 1 << (word % 64);
        }
        self.words.clear();
        self.before.clear();
        for (at, bits) in self.bits.iter().enumerate() {
            self.before.push(self.words.len() as u32);
            let mut left = *bits;
            while left != 0 {
                self.words.push(64 * at as u32 + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }

    pub(super) fn has(&self, word: u32) -> bool {
        self.bits.get(word as usize / 64).is_some_and(|bits| bits >> (word % 64) & 1 == 1)
    }

    /// The column of a candidate.
    pub(super) fn rank(&self, word: u32) -> u32 {
        let (at, below) = (word as usize / 64, (1u64 << (word % 64)) - 1);
        self.before[at] + (self.bits[at] & below).count_ones()
    }
}

/// Masks of the columns that each row may choose.
#[derive(Default)]
pub(super) struct Masks {
    /// Whether the masks belong to earlier sentences.
    pub(super) stale: bool,
    words_per_row: usize,
    /// Masks of the sentences, [sentences, words_per_row].
    of_sentences: Vec<u64>,
    /// Sentences of the rows for which `of_rows` holds; masks are kept while rows stay the same.
    sentences: Vec<usize>,
    /// Masks of the rows, [rows, words_per_row].
    of_rows: Vec<u64>,
    /// Mask of a row that may not choose its best column.
    without: Vec<u64>,
}

impl Masks {
    /// Replaces the masks by those of sentences whose candidates are the columns `own`, or all columns where
    /// `own` is empty. No mask has a suppressed word.
    pub(super) fn set(
        &mut self,
        columns: usize,
        own: &[Vec<u32>],
        union: Option<&Union>,
        suppressed: &[u32],
    ) {
        (self.stale, self.words_per_row) = (false, columns.div_ceil(64));
        self.sentences.clear();
        self.of_sentences.clear();
        self.of_sentences.resize(own.len() * self.words_per_row, 0);
        for (mask, own) in self.of_sentences.chunks_exact_mut(self.words_per_row.max(1)).zip(own) {
            if own.is_empty() {
                mask.fill(u64::MAX);
            }
            own.iter().for_each(|column| mask[*column as usize / 64] |= 1 << (column % 64));
            for word in suppressed.iter().filter(|word| union.is_none_or(|union| union.has(**word))) {
                let column = union.map_or(*word, |union| union.rank(*word)) as usize;
                if let Some(bits) = mask.get_mut(column / 64) {
                    *bits &= !(1 << (column % 64));
                }
            }
        }
    }

    /// The masks of the rows of sentences with these numbers.
    pub(super) fn of_rows(&mut self, numbers: &[usize]) -> Mask<'_> {
        if self.sentences != numbers {
            self.sentences.clear();
            self.sentences.extend_from_slice(numbers);
            self.of_rows.clear();
            for number in numbers {
                let mask = &self.of_sentences[number * self.words_per_row..][..self.words_per_row];
                self.of_rows.extend_from_slice(mask);
            }
        }
        Mask { words: &self.of_rows, words_per_row: self.words_per_row }
    }

    /// The mask of a row of the sentence with this number that may not choose `column`.
    pub(super) fn without(&mut self, number: usize, column: usize) -> Mask<'_> {
        self.without.clear();
        self.without
            .extend_from_slice(&self.of_sentences[number * self.words_per_row..][..self.words_per_row]);
        self.without[column / 64] &= !(1 << (column % 64));
        Mask { words: &self.without, words_per_row: self.words_per_row }
    }
}
