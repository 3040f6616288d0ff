//! The border between search and engines: what a network must be able to do.
//!
//! A [`Network`] is read-only and shared by all workers; each worker has a [`Decoder`] of it, which owns the
//! state of the hypotheses and all buffers. A translation never depends on its batch mates: candidates and masks
//! are per sentence, and each row's arithmetic is the same in any batch.

use std::sync::Arc;

/// A network that translates.
pub trait Network: Send + Sync {
    /// Words of the source vocabulary; ids in sentences are below it.
    fn source_words(&self) -> usize;

    /// Words of the target vocabulary; previous words and candidates are below it.
    fn target_words(&self) -> usize;

    /// Number of parameters.
    fn parameters(&self) -> u64;

    /// Bytes that each step of a translation reads for each word of its source: its keys and values.
    fn attended_bytes(&self) -> usize;

    /// Bytes of weights that each step reads, however many hypotheses take it.
    fn stepped_bytes(&self) -> usize;

    /// A decoder for one worker.
    fn decoder(self: Arc<Self>) -> Box<dyn Decoder>;
}

/// A network of which all is known once it is loaded: sizes, and how a worker's decoder is made, which shares the weights.
pub struct Loaded<F> {
    /// Words of source and target.
    pub words: [usize; 2],
    /// Number of parameters.
    pub parameters: u64,
    /// Values that each step of a translation reads for each word of its source.
    pub attended: usize,
    /// Bytes of weights that each step reads.
    pub stepped: usize,
    /// Makes a decoder.
    pub worker: F,
}

impl<F, D> Network for Loaded<F>
where
    F: Fn() -> D + Send + Sync,
    D: Decoder + 'static,
{
    fn source_words(&self) -> usize {
        self.words[0]
    }

    fn target_words(&self) -> usize {
        self.words[1]
    }

    fn parameters(&self) -> u64 {
        self.parameters
    }

    fn attended_bytes(&self) -> usize {
        self.attended * size_of::<f32>()
    }

    fn stepped_bytes(&self) -> usize {
        self.stepped
    }

    fn decoder(self: Arc<Self>) -> Box<dyn Decoder> {
        Box::new((self.worker)())
    }
}

/// One worker's state of a network: the encoded batch, and a row for each live hypothesis.
pub trait Decoder: Send {
    /// Encodes a batch, forgetting the one before. Afterwards there is one row for each sentence, in their order, at
    /// the start of its translation.
    fn start(&mut self, batch: &[Sentence<'_>]);

    /// Takes one step: row i of the state, which is hypothesis i, is fed `rows[i]`. `rows` has as many entries as
    /// the state has rows. The results replace those in `step`, row by row.
    fn step(&mut self, rows: &[Row], request: &Request<'_>, step: &mut Step);

    /// The new row i continues what was row `kept[i]`. Rows that `kept` doesn't name are dropped; one may be named
    /// several times. An empty `kept` ends the batch.
    fn reorder(&mut self, kept: &[usize]);
}

/// A sentence to be translated.
#[derive(Clone, Copy, Debug)]
pub struct Sentence<'a> {
    /// Its words with the end-of-sentence word: never empty.
    pub ids: &'a [u32],
    /// The only words that its translation may have, ascending, one or more; `None`: all.
    pub candidates: Option<&'a [u32]>,
}

/// What one hypothesis is fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The word chosen last; `None` at the first step.
    pub previous: Option<u32>,
    /// Index of its sentence in the batch.
    pub sentence: usize,
}

/// What a step shall give for each row.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Words, or scores.
    pub wanted: Wanted,
    /// Words, ascending, that [`Wanted::Best`] never gives. Scores have them: they take part in the softmax.
    pub suppressed: &'a [u32],
    /// Whether to give attention over the source, too.
    pub attention: bool,
}

/// What is wanted of the output layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The word with the greatest logit, without softmax; among equals the lowest.
    Best,
    /// The logarithms of the probabilities of the sentence's candidates.
    LogProbabilities,
    /// The logits of the sentence's candidates.
    Logits,
}

/// Results of a step; a buffer to be reused.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// [`Wanted::Best`]: one word a row.
    pub best: Vec<u32>,
    /// Otherwise: for each row one score for each candidate of its sentence (or each word, where it has no
    /// candidates), in their order.
    pub scores: Ragged,
    /// Where it was requested: for each row one weight for each source word, the end of sentence included.
    pub attention: Ragged,
}

impl Step {
    /// Forgets the results, and keeps the memory.
    pub fn clear(&mut self) {
        self.best.clear();
        self.scores.clear();
        self.attention.clear();
    }
}

/// Rows of different lengths, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Ragged {
    /// Those of all rows, and behind them what is left of earlier ones: a row of a whole vocabulary isn't cleared for nothing.
    values: Vec<f32>,
    ends: Vec<usize>,
}

impl Ragged {
    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.ends.clear();
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Row `row`.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[self.start(row)..self.ends[row]]
    }

    /// Appends a row of `len` values, whatever they are, and gives it to be filled.
    pub fn push(&mut self, len: usize) -> &mut [f32] {
        self.push_rows(1, len)
    }

    /// Appends `rows` rows of `len` values each, whatever they are, and gives them to be filled.
    pub fn push_rows(&mut self, rows: usize, len: usize) -> &mut [f32] {
        let start = self.start(self.ends.len());
        let all = start..start + rows * len;
        self.ends.extend((1..=rows).map(|row| start + row * len));
        self.values.resize(self.values.len().max(all.end), 0.0);
        &mut self.values[all]
    }

    fn start(&self, row: usize) -> usize {
        if row == 0 { 0 } else { self.ends[row - 1] }
    }
}
