//! The border between search and engines: what a network must be able to do.
//!
//! A [`Network`] is read-only and shared by all workers; each worker has a [`Decoder`] of it, which owns the
//! state of the hypotheses and all buffers. A translation never depends on its batch mates: candidates and masks
//! are per sentence, and each row's arithmetic is the same in any batch.

/// A network that translates: its sizes, and how a worker gets a decoder, which shares the weights.
pub struct Network {
    sizes: Sizes,
    decoder: Box<dyn Fn() -> Box<dyn Decoder> + Send + Sync>,
}

/// Sizes of a network.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// Words of the source vocabulary and of the target vocabulary; ids in sentences, previous words and candidates are
    /// below them.
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
        Self { sizes, decoder: Box::new(move || Box::new(decoder())) }
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
