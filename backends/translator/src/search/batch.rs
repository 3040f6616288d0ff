//! What both searches work with: their options, the networks at work, and the batch.

use dyno_nn::math::{Kernels, argmax};
use dyno_nn::{Decoder, Sentence, Step};

/// How to search.
#[derive(Clone, Debug)]
pub(crate) struct SearchOptions {
    /// Hypotheses kept for each sentence.
    pub(crate) beam: usize,
    /// Scores are divided by length to this power.
    pub(crate) normalize: f32,
    /// Taken off for each word.
    pub(crate) word_penalty: f32,
    /// A translation has at most this many times the words of its source; ends of sentences count.
    pub(crate) max_length_factor: f32,
    /// Whether all finished hypotheses are wanted, not the best alone.
    pub(crate) n_best: bool,
    /// Whether logits serve as scores.
    pub(crate) skip_cost: bool,
    /// A sentence ends when no live hypothesis is within this margin of the best finished one (before
    /// normalisation); `None`: never.
    pub(crate) early_stop: Option<f32>,
    /// Whether to note which source word each word looked at most.
    pub(crate) attention: bool,
    /// What rows of scores are looked through with.
    pub(crate) kernels: Kernels,
}

/// One network of an ensemble, at work.
pub(crate) struct Member {
    pub(super) weight: f32,
    pub(super) decoder: Box<dyn Decoder>,
    pub(super) step: Step,
}

impl Member {
    /// A decoder whose scores count `weight` times.
    pub(crate) fn new(weight: f32, decoder: Box<dyn Decoder>) -> Self {
        Self { weight, decoder, step: Step::default() }
    }
}

/// The source word that a row looked at most; the end of the sentence, which is last, is none.
pub(super) fn aligned(step: &Step, row: usize) -> usize {
    let (_, words) = step.attention.row(row).split_last().unwrap_or((&0.0, &[]));
    argmax(words)
}

/// Sentences to translate together.
#[derive(Clone, Copy)]
pub(crate) struct Batch<'a> {
    /// Sentences of the batch.
    pub(crate) sentences: &'a [Sentence<'a>],
    /// Words that are never written, ascending.
    pub(crate) suppressed: &'a [u32],
}

impl SearchOptions {
    /// Whether a hypothesis of `len` words, the end included, may not go on. Marian compares in f32.
    pub(super) fn is_full(&self, len: usize, source_len: usize) -> bool {
        len as f32 >= self.max_length_factor * source_len as f32
    }

    /// What a finished path is ranked by: (score − penalty·length) / length^normalize.
    pub(crate) fn value(&self, score: f32, len: usize) -> f32 {
        let len = len as f32;
        (score - self.word_penalty * len) / len.powf(self.normalize)
    }
}
