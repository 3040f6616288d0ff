//! The interface between search and engines: networks, decoders, and the steps of a translation.
//!
//! A [`Network`] is read-only and shared by all workers. Each worker has its own [`Decoder`], which owns the
//! state of the hypotheses, and its own [`Scratch`], with the threads that share its work.
//!
//! A translation never depends on other sentences of the batch: each sentence has its own candidates, masks and
//! positions, and each row's arithmetic is the same in any batch. So a sentence may join a running batch at any
//! step (continuous batching; Yu et al. 2022, "Orca").

use crate::Scratch;

/// A network that translates: its sizes, and how a worker gets a decoder, which shares the weights.
pub struct Network {
    sizes: Sizes,
    decoder: Box<dyn Fn() -> Box<dyn Decoder> + Send + Sync>,
    counts: Box<dyn Fn() -> Counts + Send + Sync>,
}

/// Counts of a network's work so far, by name.
pub type Counts = Vec<(&'static str, u64)>;

/// Sizes of a network.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// Words of the source vocabulary and of the target vocabulary; ids in sentences, previous words and
    /// candidates are below them.
    pub words: [usize; 2],
    /// Number of parameters.
    pub parameters: u64,
    /// Number of values that each step of a translation reads for each word of its source: keys and values.
    pub attended: usize,
    /// Bytes of weights that each step reads, for any number of hypotheses.
    pub stepped_bytes: usize,
}

impl Network {
    /// A network of these sizes; `decoder` makes a decoder for one worker.
    pub fn new<D: Decoder + 'static>(sizes: Sizes, decoder: impl Fn() -> D + Send + Sync + 'static) -> Self {
        Self { sizes, decoder: Box::new(move || Box::new(decoder())), counts: Box::new(Vec::new) }
    }

    /// The same network, of whose work `counts` tells.
    #[must_use]
    pub fn with_counts(self, counts: impl Fn() -> Counts + Send + Sync + 'static) -> Self {
        Self { counts: Box::new(counts), ..self }
    }

    /// Counts of the work of all decoders so far; empty where the network counts nothing.
    pub fn counts(&self) -> Counts {
        (self.counts)()
    }

    /// Words of the source vocabulary; ids in sentences are below it.
    pub fn source_words(&self) -> usize {
        self.sizes.words[0]
    }

    /// Words of the target vocabulary; previous words and candidates are below it.
    pub fn target_words(&self) -> usize {
        self.sizes.words[1]
    }

    /// Number of parameters.
    pub fn parameters(&self) -> u64 {
        self.sizes.parameters
    }

    /// Bytes that each step of a translation reads for each word of its source.
    pub fn attended_bytes(&self) -> usize {
        self.sizes.attended * size_of::<f32>()
    }

    /// Bytes of weights that each step reads, for any number of hypotheses.
    pub fn stepped_bytes(&self) -> usize {
        self.sizes.stepped_bytes
    }

    /// A decoder for one worker.
    pub fn decoder(&self) -> Box<dyn Decoder> {
        (self.decoder)()
    }
}

/// A worker's state of a network: the encoded sentences of the running batch, and a row for each live
/// hypothesis. Sentences join the batch between any two steps, and leave it with their last row. No call depends
/// on what another one left in the worker's scratch, which all decoders of an ensemble use.
pub trait Decoder: Send {
    /// Encodes `sentences` and lets them join the running batch. Afterwards there is one more row for each
    /// sentence, behind the rows of earlier ones and in this order, at the start of its translation.
    ///
    /// Rows name each sentence by its place in `places`, of which no other sentence with rows has the same.
    /// Places should be small: a decoder keeps buffers for each of them.
    fn admit(&mut self, sentences: &[Sentence<'_>], places: &[usize], scratch: &mut Scratch);

    /// Takes one step. `rows[i]` is the input of row i of the state, which is hypothesis i; the state has as
    /// many rows as `rows`. The results replace those in `step`, row by row.
    fn step(&mut self, rows: &[Row], request: &Request<'_>, scratch: &mut Scratch, step: &mut Step);

    /// Reorders the state: the new row i continues the old row `kept[i]`. A row that `kept` doesn't name is
    /// dropped, and a row may be named several times. Rows of earlier sentences stay in front of rows of later
    /// ones.
    fn reorder(&mut self, kept: &[usize]);
}

/// A sentence to be translated.
#[derive(Clone, Copy, Debug)]
pub struct Sentence<'a> {
    /// Ids of its words and of the end of the sentence; never empty.
    pub ids: &'a [u32],
    /// The words that the translation may contain, ascending and not empty; `None` for all words.
    pub candidates: Option<&'a [u32]>,
}

/// Input of one hypothesis at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Last word of the hypothesis; `None` at the first step.
    pub previous: Option<u32>,
    /// Place of the sentence in the running batch.
    pub sentence: usize,
    /// Number of words of the hypothesis, which is the number of steps before this one.
    pub position: usize,
    /// Word that [`Wanted::Best`] doesn't give for this row. Scores include it.
    pub barred: Option<u32>,
}

/// The results that a step gives for each row.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Kind of the results: words or scores.
    pub wanted: Wanted,
    /// Words that [`Wanted::Best`] never gives, ascending. Scores include them: they take part in the
    /// softmax.
    pub suppressed: &'a [u32],
    /// Whether the step gives the attention over the source as well.
    pub attention: bool,
}

/// Kind of an output layer's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The word with the greatest logit, without softmax; the lowest id of equal ones.
    Best,
    /// The log-probabilities of the sentence's candidates.
    LogProbabilities,
    /// The logits of the sentence's candidates.
    Logits,
    /// No results: the next word is known, and only the state takes the step.
    Nothing,
}

/// Results of a step, in a reusable buffer.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// One word for each row, for [`Wanted::Best`].
    pub best: Vec<u32>,
    /// Rows whose best word was barred, so that `best` has the next one.
    pub gave_way: Vec<usize>,
    /// Scores for each row, for the other kinds: one for each candidate of its sentence, or for each word
    /// where the sentence has no candidates, in their order.
    pub scores: Ragged,
    /// Attention for each row, where it was requested: a weight for each source word, the end of the sentence
    /// included.
    pub attention: Ragged,
}

impl Step {
    /// Removes the results and keeps the memory.
    pub fn clear(&mut self) {
        self.best.clear();
        self.gave_way.clear();
        self.scores.clear();
        self.attention.clear();
    }
}

/// Rows of different lengths, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Ragged {
    /// Values of all rows, and behind them values of earlier rows: clearing rows as long as a vocabulary
    /// would cost time.
    values: Vec<f32>,
    ends: Vec<usize>,
}

impl Ragged {
    /// Removes all rows.
    pub fn clear(&mut self) {
        self.ends.clear();
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Values of a row.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[self.start(row)..self.ends[row]]
    }

    /// Appends a row of `len` values for the caller to fill; their content is unspecified.
    pub fn push(&mut self, len: usize) -> &mut [f32] {
        self.push_rows(1, len)
    }

    /// Appends `rows` rows of `len` values each for the caller to fill; their content is unspecified.
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
