//! The output layer: from hidden vectors of rows to their best words or their scores, each row within its
//! sentence's candidates.
//!
//! Candidates are gathered once for each batch, for a few sentences together, into a packed matrix of their
//! union. A mask limits each row to its own candidates, so that the row doesn't depend on other sentences.
//! Greedy search takes the greatest value of each row in the product's epilogue: it writes no logits and
//! computes no softmax.

mod allowed_words;

use std::sync::Arc;

use dyno_kernels::{Activation, Best, Input, MatMut, Output as To, Weights};

use allowed_words::{GROUP, Masks, Union};

use crate::math::Operands;
use crate::watch::{Component, Operator};
use crate::word_table::WordTable;
use crate::{Request, Row, Sentence, Step, Wanted};

/// An output layer: weights and bias of the words.
#[derive(Clone)]
pub struct Output(Arc<WordTable>);

/// A worker's candidates and buffers for a batch; the buffers only grow.
#[derive(Default)]
pub struct Choice {
    /// Candidates of each [`GROUP`] sentences.
    groups: Vec<Group>,
    best: Vec<Best>,
    logits: Vec<f32>,
}

impl Output {
    /// The output layer over the words of `table`.
    pub fn new(table: Arc<WordTable>) -> Self {
        Self(table)
    }

    /// Gathers the candidates of a batch.
    pub fn start(&self, batch: &[Sentence<'_>], choice: &mut Choice) {
        let _output = Component::Output.span();
        let groups = batch.len().div_ceil(GROUP);
        choice.groups.resize_with(choice.groups.len().max(groups), Group::default);
        for (sentences, group) in batch.chunks(GROUP).zip(&mut choice.groups) {
            group.set(sentences, &self.0);
        }
    }

    /// Appends to `step` the results that `request` wants for rows with these hidden vectors [rows, width].
    pub fn rows(
        &self,
        hidden: &[f32],
        rows: &[Row],
        request: &Request<'_>,
        choice: &mut Choice,
        operands: &mut Operands,
        step: &mut Step,
    ) {
        if request.wanted == Wanted::Nothing {
            return;
        }
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
                Wanted::Nothing => {}
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
    /// Packed weights of the candidates; made with the first batch that has candidates.
    reduced: Option<Weights>,
    /// Whether products read the gathered weights: all sentences have candidates, and few enough. Else
    /// products read all words.
    is_reduced: bool,
    union: Union,
    sentences: usize,
    /// Candidates of each sentence, as columns.
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
            // A translation is about as long as its sentence.
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

    /// The weights that products read.
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
            // No column is the best where every word is suppressed, or no logit is a number: then the first
            // candidate is the result.
            let first = || self.own(row).first().copied().unwrap_or(0);
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
        if rows.iter().all(|row| self.own(row).is_empty()) {
            let scores = step.scores.push_rows(rows.len(), n);
            multiply(weights, input, rows.len(), scores);
            return scores.chunks_exact_mut(n).for_each(finish);
        }
        logits.resize(rows.len() * n, 0.0);
        multiply(weights, input, rows.len(), logits);
        for (logits, row) in logits.chunks_exact(n).zip(rows) {
            let own = self.own(row);
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

    /// The columns of the row's candidates; empty where the row may have any word.
    fn own(&self, row: &Row) -> &[u32] {
        &self.own[row.sentence % GROUP]
    }
}

/// Computes all logits [rows, n] of the input's rows.
fn multiply(weights: &Weights, input: Input<'_>, rows: usize, logits: &mut [f32]) {
    let n = weights.n();
    let to = To::F32(MatMut::new(logits, rows, n).expect(FITS));
    let _product = Operator::Product.span();
    weights.multiply(input, 0..n, Activation::None, None, to).expect(FITS);
}

/// Reason why calls of the kernels succeed.
const FITS: &str = "buffers were sized for these rows and words";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Kernels, Matrix};

    /// The results of rows of two sentences whose hidden vectors are (1, 1).
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
