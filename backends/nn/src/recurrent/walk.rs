//! The walk of a recurrent layer through the sentences of a batch.
//!
//! Sentences lie one after the other, without padding. The walk takes them together, longest first, so that
//! ended sentences are the last rows.

use super::state::State;
use crate::Sentence;
use crate::math::add;

/// Positions of a batch's sentences.
#[derive(Clone, Debug, Default)]
pub struct Spans {
    /// First word of each sentence, and the number of all words behind them.
    starts: Vec<usize>,
    /// Sentences, longest first.
    order: Vec<usize>,
}

/// Buffers of a walk.
#[derive(Clone, Debug)]
pub struct WalkBuffers {
    /// Inputs of one step, [sentences, fed].
    fed: Vec<f32>,
    state: State,
    /// Rows of the sentences that haven't ended.
    live: Vec<usize>,
    /// Last state of each sentence.
    ended: State,
}

impl WalkBuffers {
    /// Buffers for states of this width.
    pub fn new(width: usize) -> Self {
        Self { fed: Vec::new(), state: State::new(width), live: Vec::new(), ended: State::new(width) }
    }

    /// Last state of each sentence of the last walk: at its last word, or backward at its first.
    pub fn ended(&self) -> &State {
        &self.ended
    }
}

impl Spans {
    /// Replaces the positions by those of `batch`.
    pub fn set(&mut self, batch: &[Sentence<'_>]) {
        self.starts.clear();
        self.starts.push(0);
        self.order.clear();
        for (at, sentence) in batch.iter().enumerate() {
            self.starts.push(self.starts[at] + sentence.ids.len());
            self.order.push(at);
        }
        let starts = &self.starts;
        // With the index, the order is total, so that an unstable sort gives one result.
        self.order.sort_unstable_by_key(|at| (std::cmp::Reverse(starts[at + 1] - starts[*at]), *at));
    }

    /// Number of sentences.
    pub fn sentences(&self) -> usize {
        self.order.len()
    }

    /// Number of words of all sentences.
    pub fn all_words(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Range of a sentence's words.
    ///
    /// # Panics
    /// When there is no such sentence.
    pub fn words(&self, sentence: usize) -> std::ops::Range<usize> {
        self.starts[sentence]..self.starts[sentence + 1]
    }

    /// Replaces `means` by the mean of the `rows` [words, width] of each sentence, [sentences, width].
    pub fn means(&self, rows: &[f32], width: usize, means: &mut Vec<f32>) {
        means.clear();
        means.resize(self.sentences() * width, 0.0);
        for (sentence, mean) in means.chunks_exact_mut(width).enumerate() {
            let words = self.words(sentence);
            rows[words.start * width..words.end * width].chunks_exact(width).for_each(|row| add(mean, row));
            mean.iter_mut().for_each(|sum| *sum /= words.len() as f32);
        }
    }

    /// The words at step `step` of all sentences that have one, in the order of the walk.
    fn at_step(&self, step: usize, backward: bool) -> impl Iterator<Item = usize> {
        let live = self.order.iter().map(|sentence| self.words(*sentence));
        let live = live.take_while(move |words| words.len() > step);
        live.map(move |words| if backward { words.end - 1 - step } else { words.start + step })
    }

    /// Walks through all sentences from a state of zeros, each from its first word to its last, or backward.
    /// `fed` gives the input of a word, `step` takes one step of all rows, and `put` receives a word with its
    /// output.
    pub fn walk<'a>(
        &self,
        backward: bool,
        walk: &mut WalkBuffers,
        fed: impl Fn(usize) -> &'a [f32],
        mut step: impl FnMut(&[f32], &mut State),
        mut put: impl FnMut(usize, &[f32]),
    ) {
        let longest = self.order.first().map_or(0, |sentence| self.words(*sentence).len());
        walk.state.reset(self.sentences());
        walk.ended.reset(self.sentences());
        for at in 0..longest {
            walk.fed.clear();
            walk.live.clear();
            for word in self.at_step(at, backward) {
                walk.fed.extend_from_slice(fed(word));
                walk.live.push(walk.live.len());
            }
            walk.state.reorder(&walk.live);
            step(&walk.fed, &mut walk.state);
            for (row, word) in self.at_step(at, backward).enumerate() {
                put(word, walk.state.output.row(row));
            }
            self.keep_ended(at, walk);
        }
    }

    /// Keeps the states of the sentences whose last step is `at`: the last rows.
    fn keep_ended(&self, at: usize, walk: &mut WalkBuffers) {
        let live = self.order[..walk.live.len()].iter().enumerate().rev();
        for (row, sentence) in live.take_while(|(_, sentence)| self.words(**sentence).len() == at + 1) {
            walk.ended.output.row_mut(*sentence).copy_from_slice(walk.state.output.row(row));
            walk.ended.cell.row_mut(*sentence).copy_from_slice(walk.state.cell.row(row));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outputs of all words, where a step adds its input to the state, and the last ones of sentences.
    fn sums(backward: bool) -> [Vec<f32>; 2] {
        let sentences = [2usize, 3, 1].map(|len| vec![0; len]);
        let batch: Vec<Sentence<'_>> =
            sentences.iter().map(|ids| Sentence { ids, candidates: None }).collect();
        let mut spans = Spans::default();
        spans.set(&batch);
        let fed = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let (mut out, mut walk) = (vec![0.0; 6], WalkBuffers::new(1));
        spans.walk(
            backward,
            &mut walk,
            |word| &fed[word..=word],
            |fed, state| add(state.output.values_mut(), fed),
            |word, output| out[word] = output[0],
        );
        [out, walk.ended().output.values().to_vec()]
    }

    #[test]
    fn sentences_are_walked_through_alone_in_both_directions() {
        assert_eq!(sums(false), [vec![1.0, 3.0, 3.0, 7.0, 12.0, 6.0], vec![3.0, 12.0, 6.0]]);
        assert_eq!(sums(true), [vec![3.0, 2.0, 12.0, 9.0, 5.0, 6.0], vec![3.0, 12.0, 6.0]]);
    }
}
