//! The operands that both searches share: options, networks at work, and the batch.

use dyno_nn::math::{Kernels, argmax};
use dyno_nn::{Decoder, Sentence, Step, Wanted};

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
    /// Greatest number of words of a translation, the end of the sentence included.
    pub(crate) most_words: usize,
    /// Whether a translation of the greatest length ends with the end of the sentence, whatever the scores say.
    pub(crate) forced_end: bool,
    /// Whether probabilities are divided by what suppressed words leave of them (`renormalize_logits`).
    pub(crate) renormalise: bool,
    /// Rule of the beam.
    pub(crate) rule: Rule,
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

/// Rule by which a beam keeps hypotheses and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Marian's: a finished hypothesis takes a place for good, and the search ends when no place is left.
    Marian,
    /// That of `generate` in Hugging Face's transformers: finished hypotheses take no place of live ones. A
    /// hypothesis may finish only among the best continuations, as many as the beam has places.
    HuggingFace(Patience),
}

/// Condition under which a search by Hugging Face's rule ends, once a beam of hypotheses is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// At once (`early_stopping: true`).
    None,
    /// When no live hypothesis would get a better value at its present length (`false`).
    PresentLength,
    /// When no live hypothesis would get a better value at the greatest length (`"never"`).
    GreatestLength,
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
    /// First word of all translations, if it is known: the target language.
    pub(crate) first: Option<u32>,
}

impl Batch<'_> {
    /// Results that a search needs of step `len`, counted from 1: none, where the next word is known.
    pub(super) fn wanted(&self, len: usize, usual: Wanted) -> Wanted {
        if len == 1 && self.first.is_some() { Wanted::Nothing } else { usual }
    }

    /// The word at step `len` of a sentence, if it is known without scores.
    pub(super) fn known(
        &self,
        sentence: usize,
        len: usize,
        end: u32,
        options: &SearchOptions,
    ) -> Option<u32> {
        let forced = options.forced_end && options.is_full(len, self.sentences[sentence].ids.len());
        if forced { Some(end) } else { self.first.filter(|_| len == 1) }
    }
}

impl SearchOptions {
    /// Whether a hypothesis of `len` words, including the end, has reached the greatest length. Marian
    /// compares in f32.
    pub(super) fn is_full(&self, len: usize, source_len: usize) -> bool {
        len >= self.most_words || len as f32 >= self.max_length_factor * source_len as f32
    }

    /// Ranking value of a finished path: (score − penalty·length) / length^normalize.
    pub(crate) fn value(&self, score: f32, len: usize) -> f32 {
        let len = len as f32;
        (score - self.word_penalty * len) / len.powf(self.normalize)
    }
}
