//! The output layer: from rows' hidden vectors to their best words or their scores, each row within its sentence's
//! candidates.
//!
//! Candidates are gathered once a batch, for a few sentences together: a packed matrix of their union. A row chooses within
//! its own by a mask, so that it doesn't depend on its batch mates. Greedy search takes the greatest of each row in the
//! product's epilogue: no logit is written, and there is no softmax.

use std::sync::Arc;

use dyno_kernels::{Activation, Best, Input, Mask, MatMut, Output as To, Weights};

use crate::math::Operands;
use crate::watch::{Component, Operator};
use crate::words::WordTable;
use crate::{Request, Row, Sentence, Step, Wanted};

/// Output weights and bias.
#[derive(Clone)]
pub struct Output(Arc<WordTable>);

/// Sentences that share one gathered matrix. Fewer would leave products too few rows; with more the union outgrows what a
/// row may choose: of 32 captions it is ten times as large as one's own candidates, of eight four times.
const GROUP: usize = 8;

/// One worker's choice among the words, for a batch; its buffers only grow.
#[derive(Default)]
pub struct Choice {
    /// Of each [`GROUP`] sentences.
    groups: Vec<Group>,
    best: Vec<Best>,
    logits: Vec<f32>,
}

impl Output {
    /// Over the words of `table`.
    pub fn new(table: Arc<WordTable>) -> Self {
        Self(table)
    }

    /// Prepares the choice of a batch.
    pub fn start(&self, batch: &[Sentence<'_>], choice: &mut Choice) {
        let _output = Component::Output.span();
        let groups = batch.len().div_ceil(GROUP);
        choice.groups.resize_with(choice.groups.len().max(groups), Group::default);
        for (sentences, group) in batch.chunks(GROUP).zip(&mut choice.groups) {
            group.set(sentences, &self.0);
        }
    }

    /// Appends to `step` what `request` wants of the rows with these hidden vectors [rows, width].
    pub fn rows(
        &self,
        hidden: &[f32],
        rows: &[Row],
        request: &Request<'_>,
        choice: &mut Choice,
        operands: &mut Operands,
        step: &mut Step,
    ) {
        let _output = Component::Output.span();
        let table = &self.0;
        let filled = operands.fill(table.kernels(), table.form(), hidden, table.width());
        let input = filled.expect("hidden vectors are as wide as the words'");
        let mut first = 0;
        for rows in rows.chunk_by(|a, b| a.sentence / GROUP == b.sentence / GROUP) {
            let input = input.rows(first..first + rows.len());
            first += rows.len();
            let Choice { groups, best, logits } = choice;
            let group = &mut groups[rows[0].sentence / GROUP];
            match request.wanted {
                Wanted::Best => group.best(table, input, rows, request.suppressed, best, step),
                Wanted::Logits => group.scores(table, input, rows, logits, step, |_| ()),
                Wanted::LogProbabilities => {
                    let finish = |scores: &mut [f32]| {
                        let _softmax = Operator::Softmax.span();
                        table.kernels().log_softmax(scores);
                    };
                    group.scores(table, input, rows, logits, step, finish);
                }
            }
        }
    }
}

/// Sentences that share a gathered matrix.
#[derive(Default)]
struct Group {
    /// Their candidates, packed; made with the first batch that has some.
    reduced: Option<Weights>,
    /// Whether all of them have candidates, and few enough; else all words are multiplied.
    is_reduced: bool,
    union: Union,
    sentences: usize,
    /// For each of the sentences its candidates, as columns.
    own: Vec<Vec<u32>>,
    masks: Masks,
}

impl Group {
    fn set(&mut self, sentences: &[Sentence<'_>], table: &WordTable) {
        self.masks.stale = true;
        self.sentences = sentences.len();
        self.own.resize_with(self.own.len().max(sentences.len()), Vec::new);
        self.is_reduced = sentences.iter().all(|sentence| sentence.candidates.is_some());
        if self.is_reduced {
            self.union.set(sentences, table.words());
            // Translations are about as long as their sentences.
            let steps = sentences.iter().map(|sentence| sentence.ids.len()).max().unwrap_or(0);
            self.is_reduced = table.gathers(self.union.words.len(), steps);
        }
        if self.is_reduced {
            table.gather(&self.union.words, &mut self.reduced);
        }
        for (own, sentence) in self.own.iter_mut().zip(sentences) {
            own.clear();
            let words = sentence.candidates.unwrap_or_default().iter();
            match self.is_reduced {
                true => own.extend(words.map(|word| self.union.rank(*word))),
                false => own.extend_from_slice(words.as_slice()),
            }
        }
    }

    /// The weights that rows are multiplied with.
    fn weights<'a>(reduced: &'a Option<Weights>, is_reduced: bool, table: &'a WordTable) -> &'a Weights {
        reduced.as_ref().filter(|_| is_reduced).unwrap_or_else(|| table.packed())
    }

    fn best(
        &mut self,
        table: &WordTable,
        input: Input<'_>,
        rows: &[Row],
        suppressed: &[u32],
        best: &mut Vec<Best>,
        step: &mut Step,
    ) {
        let weights = Self::weights(&self.reduced, self.is_reduced, table);
        if self.masks.stale {
            let union = self.is_reduced.then_some(&self.union);
            self.masks.set(weights.n(), &self.own[..self.sentences], union, suppressed);
        }
        best.clear();
        best.resize(rows.len(), Best::NONE);
        let to = To::Best { best, mask: Some(self.masks.of_rows(rows)) };
        let product = Operator::Product.span();
        weights.multiply(input, 0..weights.n(), Activation::None, None, to).expect(FITS);
        drop(product);
        for (best, row) in best.iter().zip(rows) {
            // Nothing is best where every word is suppressed, or no logit is a number: the first must do.
            let first = || self.own[row.sentence % GROUP].first().copied().unwrap_or(0);
            let column = if best.column == Best::NONE.column { first() } else { best.column as u32 };
            step.best.push(if self.is_reduced { self.union.words[column as usize] } else { column });
        }
    }

    fn scores(
        &mut self,
        table: &WordTable,
        input: Input<'_>,
        rows: &[Row],
        logits: &mut Vec<f32>,
        step: &mut Step,
        finish: impl Fn(&mut [f32]),
    ) {
        let weights = Self::weights(&self.reduced, self.is_reduced, table);
        let n = weights.n();
        let own = |row: &Row| &self.own[row.sentence % GROUP];
        let all_words = rows.iter().all(|row| own(row).is_empty());
        let products = if all_words {
            step.scores.push_rows(rows.len(), n)
        } else {
            logits.resize(rows.len() * n, 0.0);
            &mut logits[..]
        };
        let to = To::F32(MatMut::new(products, rows.len(), n).expect(FITS));
        let product = Operator::Product.span();
        weights.multiply(input, 0..n, Activation::None, None, to).expect(FITS);
        drop(product);
        if all_words {
            return products.chunks_exact_mut(n).for_each(finish);
        }
        for (logits, row) in logits.chunks_exact(n).zip(rows) {
            let own = own(row);
            let scores = step.scores.push(if own.is_empty() { n } else { own.len() });
            match own.is_empty() {
                true => scores.copy_from_slice(logits),
                false => {
                    scores.iter_mut().zip(own).for_each(|(score, column)| *score = logits[*column as usize])
                }
            }
            finish(scores);
        }
    }
}

/// What makes calls of the kernels succeed.
const FITS: &str = "buffers were sized for these rows and words";

/// The candidates of some sentences.
#[derive(Default)]
struct Union {
    /// Ascending: word i is column i.
    words: Vec<u32>,
    /// A bit for each word of the vocabulary.
    bits: Vec<u64>,
    /// How many candidates stand before each 64 words.
    before: Vec<u32>,
}

impl Union {
    fn set(&mut self, batch: &[Sentence<'_>], vocabulary: usize) {
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

    fn has(&self, word: u32) -> bool {
        self.bits.get(word as usize / 64).is_some_and(|bits| bits >> (word % 64) & 1 == 1)
    }

    /// The column of a candidate.
    fn rank(&self, word: u32) -> u32 {
        let (at, below) = (word as usize / 64, (1u64 << (word % 64)) - 1);
        self.before[at] + (self.bits[at] & below).count_ones()
    }
}

/// Which columns each row may choose from.
#[derive(Default)]
struct Masks {
    /// Whether they are those of an earlier batch.
    stale: bool,
    words_per_row: usize,
    /// [sentences, words_per_row].
    of_sentences: Vec<u64>,
    /// The sentences of the rows, and their masks: kept while rows stay the same.
    sentences: Vec<usize>,
    /// [rows, words_per_row].
    of_rows: Vec<u64>,
}

impl Masks {
    /// For sentences that choose among `own` of `columns` (all, where that is empty), never one that is suppressed.
    fn set(&mut self, columns: usize, own: &[Vec<u32>], union: Option<&Union>, suppressed: &[u32]) {
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

    fn of_rows(&mut self, rows: &[Row]) -> Mask<'_> {
        let same = rows.len() == self.sentences.len()
            && rows.iter().zip(&self.sentences).all(|(row, sentence)| row.sentence == *sentence);
        if !same {
            self.sentences.clear();
            self.sentences.extend(rows.iter().map(|row| row.sentence));
            self.of_rows.clear();
            for row in rows {
                let first = row.sentence % GROUP * self.words_per_row;
                let mask = &self.of_sentences[first..][..self.words_per_row];
                self.of_rows.extend_from_slice(mask);
            }
        }
        Mask { words: &self.of_rows, words_per_row: self.words_per_row }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Kernels, Matrix};

    /// What rows of two sentences get, both hidden vectors being (1, 1).
    fn step(wanted: Wanted, candidates: [Option<&[u32]>; 2]) -> Step {
        let matrix = Matrix::plain(vec![1.0, 0.0, 2.0, 1.0, 0.0, 1.0, 2.0, 0.0], 2, 4);
        let table = WordTable::new(Kernels::best(), &matrix, &[0.0, 0.5, 0.0, 0.0]).unwrap();
        let (output, mut choice) = (Output::new(Arc::new(table)), Choice::default());
        let batch = candidates.map(|candidates| Sentence { ids: &[0], candidates });
        output.start(&batch, &mut choice);
        let request = Request { wanted, suppressed: &[2], attention: false };
        let mut step = Step::default();
        let rows = [0, 1].map(|sentence| Row { previous: None, sentence });
        output.rows(&[1.0; 4], &rows, &request, &mut choice, &mut Operands::default(), &mut step);
        step
    }

    #[test]
    fn the_best_word_is_neither_suppressed_nor_outside_the_candidates() {
        assert_eq!(step(Wanted::Best, [None, None]).best, [1, 1]);
        assert_eq!(step(Wanted::Best, [Some(&[0, 2]), Some(&[1, 3])]).best, [0, 1]);
        assert_eq!(step(Wanted::Best, [Some(&[0, 2, 3]), None]).best, [0, 1]);
        assert_eq!(step(Wanted::Best, [Some(&[2]), Some(&[1])]).best, [2, 1]);
    }

    #[test]
    fn scores_follow_the_candidates() {
        let logits = step(Wanted::Logits, [None, Some(&[0, 2])]).scores;
        assert_eq!((logits.row(0), logits.row(1)), ([1.0, 1.5, 4.0, 1.0].as_slice(), [1.0, 4.0].as_slice()));
        let logits = step(Wanted::Logits, [Some(&[2, 3]), Some(&[1])]).scores;
        assert_eq!((logits.row(0), logits.row(1)), ([4.0, 1.0].as_slice(), [1.5].as_slice()));
        let logs = step(Wanted::LogProbabilities, [Some(&[0, 1]), Some(&[0])]);
        let total: f32 = logs.scores.row(0).iter().map(|log| log.exp()).sum();
        assert!((total - 1.0).abs() < 1e-6);
    }
}
