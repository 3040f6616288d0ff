//! Embeddings and positions, as in Marian and in Hugging Face's translators.

use std::sync::Arc;

use dyno_formats::Result;
use dyno_formats::spec::{Positions, TransformerSpec};

use super::Process;
use crate::params::Params;
use crate::word_table::WordTable;

/// Embedding of one side: from words and positions to vectors.
pub struct Embedding {
    words: Arc<WordTable>,
    positions: Arc<Encoding>,
    /// Factor of words' vectors with sines and cosines.
    scale: f32,
    /// Input of the decoder's first step.
    start_word: Option<u32>,
    pub(super) after: Process,
    width: usize,
}

/// Vectors of positions, which both sides share.
pub(super) enum Encoding {
    /// Sines and cosines, with a table of the first ones.
    Sinusoid(Sinusoid),
    /// Vectors from a file, [positions, width], on scaled embeddings.
    Tabulated(Vec<f32>),
    /// Trained vectors, [positions, width].
    Trained(Vec<f32>),
    None,
}

impl Encoding {
    /// The vectors of positions that the description asks for.
    ///
    /// # Errors
    /// When trained vectors are missing or have another shape.
    pub(super) fn new(params: Params<'_>, spec: &TransformerSpec) -> Result<Self> {
        match spec.positions {
            Positions::Sinusoid { divisor, first } => {
                Ok(Self::Sinusoid(Sinusoid::new(divisor, first, spec.width)))
            }
            Positions::None => Ok(Self::None),
            Positions::Tabulated => Self::table(params, spec.width).map(Self::Tabulated),
            Positions::Trained => Self::table(params, spec.width).map(Self::Trained),
        }
    }

    fn table(params: Params<'_>, width: usize) -> Result<Vec<f32>> {
        const TABLE: &str = "Wpos";
        let tensor = params.weights().get(TABLE)?;
        let (rows, _) = tensor.matrix()?;
        if rows == 0 {
            return Err(tensor.fault("has no positions"));
        }
        params.matrix(TABLE, rows, width)
    }
}

impl Embedding {
    /// The embedding over the vectors of `words` and of `positions`; `prefix` is `encoder` or `decoder`.
    ///
    /// # Errors
    /// When a parameter is missing or has another shape.
    pub(super) fn new(
        params: Params<'_>,
        spec: &TransformerSpec,
        prefix: &str,
        words: Arc<WordTable>,
        positions: Arc<Encoding>,
    ) -> Result<Self> {
        let width = spec.width;
        let after = Process::before(params, &spec.after_embedding, &format!("{prefix}_emb"), width)?;
        let (scale, start_word) = (spec.embedding_scale, spec.start_word);
        Ok(Self { words, positions, scale, start_word, after, width })
    }

    /// Replaces `row` by the vector of `word` at `position`; no word has zeros. The operations after
    /// embeddings aren't applied here.
    pub(super) fn write(&self, word: Option<u32>, position: usize, row: &mut [f32]) {
        let scaled = matches!(*self.positions, Encoding::Sinusoid(_) | Encoding::Tabulated(_));
        let factor = if scaled { self.scale } else { 1.0 };
        match &*self.positions {
            Encoding::None => row.fill(0.0),
            Encoding::Tabulated(table) | Encoding::Trained(table) => {
                let last = table.len() / self.width - 1;
                row.copy_from_slice(&table[position.min(last) * self.width..][..self.width]);
            }
            Encoding::Sinusoid(sinusoid) => sinusoid.write(row, position),
        }
        if let Some(word) = word {
            self.words.add(word, factor, row);
        }
    }

    /// The word that the decoder reads at a step: the one before, or the start word.
    pub(super) fn input(&self, previous: Option<u32>) -> Option<u32> {
        previous.or(self.start_word)
    }

    /// The position that the decoder gives to the word at `position` of a hypothesis. With trained positions
    /// Marian counts from 0 within each call, and decoding makes a call for each word.
    pub(super) fn step_position(&self, position: usize) -> usize {
        if matches!(*self.positions, Encoding::Trained(_)) { 0 } else { position }
    }
}

/// Number of positions whose sines and cosines are tabulated: few sentences have more words.
const TABULATED: usize = 256;

/// Sines in the first half of a row, cosines in the second.
pub(super) struct Sinusoid {
    /// [TABULATED, width]; later positions are computed.
    table: Vec<f32>,
    divisor: f32,
    /// Position of the first word.
    first: usize,
}

impl Sinusoid {
    fn new(divisor: f32, first: usize, width: usize) -> Self {
        let mut table = vec![0.0; TABULATED * width];
        let frequencies: Vec<f32> = frequencies(divisor, width).collect();
        for (position, row) in table.chunks_exact_mut(width.max(1)).enumerate() {
            compute(frequencies.iter().copied(), first + position, row);
        }
        Self { table, divisor, first }
    }

    /// Replaces `row` by the values of `position`.
    fn write(&self, row: &mut [f32], position: usize) {
        match self.table.chunks_exact(row.len()).nth(position) {
            Some(tabulated) => row.copy_from_slice(tabulated),
            None => compute(frequencies(self.divisor, row.len()), self.first + position, row),
        }
    }
}

/// The angle between two positions, for each sine of a row.
fn frequencies(divisor: f32, width: usize) -> impl Iterator<Item = f32> {
    let increment = 10_000f32.ln() / divisor;
    (0..width / 2).map(move |i| (-increment * i as f32).exp())
}

fn compute(frequencies: impl Iterator<Item = f32>, position: usize, row: &mut [f32]) {
    let (sines, cosines) = row.split_at_mut(row.len() / 2);
    for ((sine, cosine), frequency) in sines.iter_mut().zip(cosines).zip(frequencies) {
        (*sine, *cosine) = (position as f32 * frequency).sin_cos();
    }
}
