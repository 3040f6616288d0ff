//! The output layer: from hidden vectors of rows to their best words or their scores, each row within its
//! sentence's candidates.
//!
//! Candidates are gathered once, for a few sentences that join the batch together, into a packed matrix of
//! their union. A mask limits each row to its own candidates, so that the row doesn't depend on other
//! sentences. Sentences whose candidates aren't gathered share one product over all words.
//! Greedy search takes the greatest value of each row in the product's epilogue: it writes no logits and
//! computes no softmax.

mod allowed_words;

use std::sync::Arc;

use dyno_kernels::{Activation, Best, Input, Mask, MatMut, Output as To, Task, Weights};

use allowed_words::{GROUP, Masks, Union};

use crate::math::{Operands, Threads};
use crate::watch::{Component, Operator};
use crate::word_table::WordTable;
use crate::{Request, Row, Sentence, Step, Wanted};

/// An output layer: weights and bias of the words.
#[derive(Clone)]
pub struct Output(Arc<WordTable>);

/// A worker's candidates of the running batch, and buffers; the buffers only grow.
#[derive(Default)]
pub struct Choice {
    /// Groups with gathered candidates.
    gathered: Vec<Group>,
    /// Group of all other sentences, whose products read all words. A sentence's number in it is its place.
    whole: Group,
    /// Membership of the sentence at each place.
    members: Vec<Member>,
    /// Numbers of the rows' sentences in their group.
    numbers: Vec<usize>,
    best: Vec<Best>,
    /// Best word of a row whose best one is barred.
    again: Vec<Best>,
    logits: Vec<f32>,
}

/// Membership of a sentence in a group.
#[derive(Clone, Copy, Default)]
struct Member {
    /// Index of the group with gathered candidates; `None` for the group of all words.
    gathered: Option<usize>,
    /// Number of the sentence in the group.
    number: usize,
}

impl Output {
    /// The output layer over the words of `table`.
    pub fn new(table: Arc<WordTable>) -> Self {
        Self(table)
    }

    /// Gathers the candidates of sentences that join the running batch at `places`.
    pub fn admit(&self, sentences: &[Sentence<'_>], places: &[usize], choice: &mut Choice) {
        let _output = Component::Output.span();
        places.iter().for_each(|place| choice.leave(*place));
        for (sentences, places) in sentences.chunks(GROUP).zip(places.chunks(GROUP)) {
            choice.join(sentences, places, &self.0);
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
        let (input, threads) = filled.expect("hidden vectors are as wide as the words'");
        let mut first = 0;
        let Choice { gathered, whole, members, numbers, best, again, logits } = choice;
        let group_of = |row: &Row| members[row.sentence].gathered;
        for rows in rows.chunk_by(|a, b| group_of(a) == group_of(b)) {
            let input = (input.rows(first..first + rows.len()), &mut *threads);
            first += rows.len();
            numbers.clear();
            numbers.extend(rows.iter().map(|row| members[row.sentence].number));
            let group = group_of(&rows[0]).map_or(&mut *whole, |at| &mut gathered[at]);
            match request.wanted {
                Wanted::Best => {
                    group.best(table, input, (rows, numbers), request.suppressed, (best, again), step)
                }
                Wanted::Logits => group.scores(table, input, numbers, logits, step, |_| ()),
                Wanted::Nothing => {}
                Wanted::LogProbabilities => {
                    let finish = |scores: &mut [f32]| {
                        let _softmax = Operator::Softmax.span();
                        table.kernels().log_softmax(scores);
                    };
                    group.scores(table, input, numbers, logits, step, finish);
                }
            }
        }
    }
}

impl Choice {
    /// Ends the membership of the sentence that had this place before.
    fn leave(&mut self, place: usize) {
        self.members.resize(self.members.len().max(place + 1), Member::default());
        if let Some(at) = self.members[place].gathered.take() {
            self.gathered[at].sentences -= 1;
        }
    }

    /// Puts at most [`GROUP`] sentences into one group.
    fn join(&mut self, sentences: &[Sentence<'_>], places: &[usize], table: &WordTable) {
        let at = self.vacant();
        let gathered = self.gathered[at].gather(sentences, table).then_some(at);
        for (number, (sentence, place)) in sentences.iter().zip(places).enumerate() {
            let number = if gathered.is_some() { number } else { *place };
            if gathered.is_none() {
                self.whole.put(number, sentence.candidates.unwrap_or_default());
            }
            self.members[*place] = Member { gathered, number };
        }
    }

    /// Index of a group without sentences. Each group in use has the sentence of one place or more, which
    /// bounds their number.
    fn vacant(&mut self) -> usize {
        let vacant = self.gathered.iter().position(|group| group.sentences == 0);
        vacant.unwrap_or_else(|| {
            self.gathered.push(Group::default());
            self.gathered.len() - 1
        })
    }
}

/// Sentences whose rows share a product.
#[derive(Default)]
struct Group {
    /// Packed weights of the candidates; `None` for the group of all words.
    reduced: Option<Weights>,
    union: Union,
    /// Number of places whose sentence has gathered candidates here.
    sentences: usize,
    /// Candidates of each sentence, as columns; empty where the sentence may have any word.
    own: Vec<Vec<u32>>,
    masks: Masks,
}

impl Group {
    /// Gathers the candidates of these sentences. False where products over all words cost less.
    fn gather(&mut self, sentences: &[Sentence<'_>], table: &WordTable) -> bool {
        if sentences.iter().any(|sentence| sentence.candidates.is_none()) {
            return false;
        }
        self.union.set(sentences, table.words());
        // A translation is about as long as its sentence.
        let steps = sentences.iter().map(|sentence| sentence.ids.len()).max().unwrap_or(0);
        if !table.gathers(self.union.words.len(), steps) {
            return false;
        }
        table.gather(&self.union.words, &mut self.reduced);
        self.sentences = sentences.len();
        self.masks.stale = true;
        self.own.iter_mut().for_each(Vec::clear);
        self.own.resize_with(self.own.len().max(sentences.len()), Vec::new);
        for (own, sentence) in self.own.iter_mut().zip(sentences) {
            let words = sentence.candidates.unwrap_or_default().iter();
            own.extend(words.map(|word| self.union.rank(*word)));
        }
        true
    }

    /// Puts a sentence into the group of all words.
    fn put(&mut self, number: usize, candidates: &[u32]) {
        self.masks.stale = true;
        self.own.resize_with(self.own.len().max(number + 1), Vec::new);
        self.own[number].clear();
        self.own[number].extend_from_slice(candidates);
    }

    /// The weights that products read.
    fn weights<'a>(reduced: &'a Option<Weights>, table: &'a WordTable) -> &'a Weights {
        reduced.as_ref().unwrap_or_else(|| table.packed())
    }

    fn best(
        &mut self,
        table: &WordTable,
        (input, threads): (Input<'_>, &mut Threads),
        (rows, numbers): (&[Row], &[usize]),
        suppressed: &[u32],
        (best, again): (&mut Vec<Best>, &mut Vec<Best>),
        step: &mut Step,
    ) {
        let weights = Self::weights(&self.reduced, table);
        let union = self.reduced.is_some().then_some(&self.union);
        if self.masks.stale {
            self.masks.set(weights.n(), &self.own, union, suppressed);
        }
        search(weights, (input, threads), numbers.len(), self.masks.of_rows(numbers), best);
        for (at, (row, number)) in rows.iter().zip(numbers).enumerate() {
            let barred = row.barred.and_then(|word| column(word, union));
            if barred.is_some_and(|barred| barred == best[at].column) {
                let mask = self.masks.without(*number, best[at].column);
                search(weights, (input.rows(at..at + 1), threads), 1, mask, again);
                best[at] = again[0];
                step.gave_way.push(step.best.len() + at);
            }
        }
        for (best, number) in best.iter().zip(numbers) {
            // No column is the best where every word is suppressed, or no logit is a number: then the first
            // candidate is the result.
            let first = || self.own[*number].first().copied().unwrap_or(0);
            let column = if best.column == Best::NONE.column { first() } else { best.column as u32 };
            step.best.push(union.map_or(column, |union| union.words[column as usize]));
        }
    }

    fn scores(
        &mut self,
        table: &WordTable,
        (input, threads): (Input<'_>, &mut Threads),
        numbers: &[usize],
        logits: &mut Vec<f32>,
        step: &mut Step,
        finish: impl Fn(&mut [f32]) + Sync,
    ) {
        let (weights, rows) = (Self::weights(&self.reduced, table), numbers.len());
        let n = weights.n();
        if numbers.iter().all(|number| self.own[*number].is_empty()) {
            let scores = step.scores.push_rows(rows, n);
            multiply(weights, (input, threads), rows, scores);
            return threads.each_chunk(size_of_val(scores), scores, n, |_, scores| finish(scores));
        }
        logits.resize(rows * n, 0.0);
        multiply(weights, (input, threads), rows, logits);
        for (logits, number) in logits.chunks_exact(n).zip(numbers) {
            let own = &self.own[*number];
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

/// The column of `word` in a union, or among all words.
fn column(word: u32, union: Option<&Union>) -> Option<usize> {
    union.map_or(Some(word), |union| union.has(word).then(|| union.rank(word))).map(|column| column as usize)
}

/// Replaces the beginning of `best` by the best column of each of `rows` rows. Each thread searches its columns.
fn search(
    weights: &Weights,
    (input, threads): (Input<'_>, &mut Threads),
    rows: usize,
    mask: Mask<'_>,
    best: &mut Vec<Best>,
) {
    let _product = Operator::Product.span();
    let bytes = rows * weights.bytes();
    let sharing = threads.sharing(bytes);
    best.clear();
    best.resize(sharing * rows, Best::NONE);
    threads.each_chunk(bytes, best, rows, |thread, best| {
        let to = To::Best { best, mask: Some(mask) };
        let columns = weights.share(thread, sharing);
        weights.multiply(input, columns, Activation::None, None, to).expect(FITS);
    });
    let (best, others) = best.split_at_mut(rows);
    others.chunks(rows).for_each(|others| {
        best.iter_mut().zip(others).for_each(|(best, other)| *best = best.or(*other));
    });
}

/// Computes all logits [rows, n] of the input's rows.
fn multiply(weights: &Weights, (input, threads): (Input<'_>, &mut Threads), rows: usize, logits: &mut [f32]) {
    let out = MatMut::new(logits, rows, weights.n()).expect(FITS);
    threads
        .multiply(input, &mut [Task { weights, activation: Activation::None, residual: None, out }])
        .expect(FITS);
}

/// Reason why calls of the kernels succeed.
const FITS: &str = "buffers were sized for these rows and words";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Kernels, Matrix};

    /// The results of rows of two sentences whose hidden vectors are (1, 1).
    fn step(wanted: Wanted, candidates: [Option<&[u32]>; 2]) -> Step {
        step_barring([None; 2], wanted, candidates)
    }

    fn step_barring(barred: [Option<u32>; 2], wanted: Wanted, candidates: [Option<&[u32]>; 2]) -> Step {
        let matrix = Matrix::plain(vec![1.0, 0.0, 2.0, 1.0, 0.0, 1.0, 2.0, 0.0], 2, 4);
        let table = WordTable::new(Kernels::best(), &matrix, &[0.0, 0.5, 0.0, 0.0]).unwrap();
        let (output, mut choice) = (Output::new(Arc::new(table)), Choice::default());
        let batch = candidates.map(|candidates| Sentence { ids: &[0], candidates });
        output.admit(&batch, &[0, 1], &mut choice);
        let request = Request { wanted, suppressed: &[2], attention: false };
        let mut step = Step::default();
        let rows =
            [0, 1].map(|sentence| Row { previous: None, sentence, position: 0, barred: barred[sentence] });
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
    fn a_barred_word_gives_way_to_the_next_best() {
        let best = |barred, candidates| step_barring(barred, Wanted::Best, candidates).best;
        let gave_way = |barred| step_barring(barred, Wanted::Best, [None, Some(&[0, 1])]).gave_way;
        assert_eq!((gave_way([Some(1), Some(0)]), gave_way([Some(0), Some(1)])), (vec![0], vec![1]));
        assert_eq!(best([Some(1), None], [None, None]), [0, 1], "word 0 is the first of two equal ones");
        assert_eq!(best([Some(3), Some(0)], [None, None]), [1, 1], "words that aren't the best");
        assert_eq!(best([Some(0), Some(1)], [Some(&[0, 3]), Some(&[0, 1])]), [3, 0]);
        assert_eq!(best([Some(2), None], [Some(&[0, 1]), None]), [1, 1], "no candidate");
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
