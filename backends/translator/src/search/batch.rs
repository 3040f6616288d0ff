//! The operands that both searches share: options, networks at work, and the batch.

use dyno_nn::math::{Kernels, argmax};
use dyno_nn::{Decoder, Sentence, Step};

/// Options of a search.
#[derive(Clone, Debug)]
pub(crate) struct SearchOptions {
    /// Number of hypotheses of each sentence.
    pub(crate) beam: usize,
    /// Power of the length by which scores are divided.
    pub(crate) normalize: f32,
    /// Penalty that is subtracted for each word.
    pub(crate) word_penalty: f32,
    /// Greatest length of a translation as a multiple of its source's length; both include the end of the
    /// sentence.
    pub(crate) max_length_factor: f32,
    /// Whether the search gives all finished hypotheses instead of the best one.
    pub(crate) n_best: bool,
    /// Whether logits serve as scores.
    pub(crate) skip_cost: bool,
    /// Margin of the early stop: a sentence ends when no live hypothesis is within it of the best finished
    /// one, before normalisation. `None` for no early stop.
    pub(crate) early_stop: Option<f32>,
    /// Whether the search notes which source word each word attends to most.
    pub(crate) attention: bool,
    /// Kernels that search rows of scores.
    pub(crate) kernels: Kernels,
}

/// A network of an ensemble at work.
pub(crate) struct Member {
    pub(super) weight: f32,
    pub(super) decoder: Box<dyn Decoder>,
    pub(super) step: Step,
}

impl Member {
    /// A member whose scores have this weight.
    pub(crate) fn new(weight: f32, decoder: Box<dyn Decoder>) -> Self {
        Self { weight, decoder, step: Step::default() }
    }
}

/// The source word that a row attends to most. The last position, the end of the sentence, is excluded.
pub(super) fn aligned(step: &Step, row: usize) -> usize {
    let (_, words) = step.attention.row(row).split_last().unwrap_or((&0.0, &[]));
    argmax(words)
}

/// Sentences to translate together.
#[derive(Clone, Copy)]
pub(crate) struct Batch<'a> {
    /// Sentences of the batch.
    pub(crate) sentences: &'a [Sentence<'a>],
    /// Words that no translation contains, ascending.
    pub(crate) suppressed: &'a [u32],
}

impl SearchOptions {
    /// Whether a hypothesis of `len` words, including the end, has reached the greatest length. Marian
    /// compares in f32.
    pub(super) fn is_full(&self, len: usize, source_len: usize) -> bool {
        len as f32 >= self.max_length_factor * source_len as f32
    }

    /// Ranking value of a finished path: (score − penalty·length) / length^normalize.
    pub(crate) fn value(&self, score: f32, len: usize) -> f32 {
        let len = len as f32;
        (score - self.word_penalty * len) / len.powf(self.normalize)
    }
}
