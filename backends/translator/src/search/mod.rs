//! Search: which words follow which, by the scores of one network or several.
//!
//! With one network, a beam of 1 and nobody asking for scores, the best word of each step is all that is needed
//! ([`greedy`]); everything else is [`beam`]. Both treat each sentence of a batch as if it were alone.

mod beam;
mod greedy;
mod paths;
#[cfg(test)]
mod tests;

use dyno_nn::math::{Kernels, argmax};
use dyno_nn::{Decoder, Sentence, Step};

pub use paths::Found;
pub(crate) use paths::Results;

/// How to search.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Hypotheses kept for each sentence.
    pub beam: usize,
    /// Scores are divided by length to this power.
    pub normalize: f32,
    /// Taken off for each word.
    pub word_penalty: f32,
    /// A translation has at most this many times the words of its source; ends of sentences count.
    pub max_length_factor: f32,
    /// Whether all finished hypotheses are wanted, not the best alone.
    pub n_best: bool,
    /// Whether logits serve as scores.
    pub skip_cost: bool,
    /// A sentence ends when no live hypothesis is within this margin of the best finished one (before
    /// normalisation); `None`: never.
    pub early_stop: Option<f32>,
    /// Whether to note which source word each word looked at most.
    pub attention: bool,
    /// What rows of scores are looked through with.
    pub kernels: Kernels,
}

/// One network of an ensemble, at work.
pub struct Member {
    weight: f32,
    decoder: Box<dyn Decoder>,
    step: Step,
}

impl Member {
    /// A decoder whose scores count `weight` times.
    pub fn new(weight: f32, decoder: Box<dyn Decoder>) -> Self {
        Self { weight, decoder, step: Step::default() }
    }
}

/// The source word that a row looked at most; the end of the sentence, which is last, is none.
fn aligned(step: &Step, row: usize) -> usize {
    let (_, words) = step.attention.row(row).split_last().unwrap_or((&0.0, &[]));
    argmax(words)
}

/// What to translate.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The batch.
    pub sentences: &'a [Sentence<'a>],
    /// Words that are never written, ascending.
    pub suppressed: &'a [u32],
}

/// One worker's search.
pub struct Search {
    members: Vec<Member>,
    options: SearchOptions,
    end: u32,
    results: Results,
}

impl Search {
    /// Over `members` (at least one), whose translations end with the word `end`.
    pub fn new(members: Vec<Member>, options: SearchOptions, end: u32) -> Self {
        Self { members, options, end, results: Results::default() }
    }

    /// Translates a batch: for each sentence its translations, best first.
    pub(crate) fn run(&mut self, task: &Task<'_>) -> Results {
        let mut results = std::mem::take(&mut self.results);
        results.start(task.sentences.len());
        if task.sentences.is_empty() {
            return results;
        }
        self.members.iter_mut().for_each(|member| member.decoder.start(task.sentences));
        let scores_matter = self.options.beam > 1 || self.options.n_best;
        match &mut self.members[..] {
            [only] if !scores_matter => greedy::run(only, &self.options, self.end, task, &mut results),
            members => beam::run(members, &self.options, self.end, task, &mut results),
        }
        results
    }

    /// Takes the buffer of results back.
    pub(crate) fn give_back(&mut self, results: Results) {
        self.results = results;
    }
}

impl SearchOptions {
    /// Whether a hypothesis of `len` words, the end included, may not go on. Marian compares in f32.
    fn is_full(&self, len: usize, source_len: usize) -> bool {
        len as f32 >= self.max_length_factor * source_len as f32
    }

    /// What a finished path is ranked by: (score − penalty·length) / length^normalize.
    pub(crate) fn value(&self, score: f32, len: usize) -> f32 {
        let len = len as f32;
        (score - self.word_penalty * len) / len.powf(self.normalize)
    }
}
