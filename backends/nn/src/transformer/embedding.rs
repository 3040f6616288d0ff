//! Embeddings and positions, as in Marian.

use std::sync::Arc;

use dyno_formats::Result;

use super::options::Positions;
use super::{Options, Process};
use crate::params::Params;
use crate::word_table::WordTable;

/// Embedding of one side: from words and positions to vectors.
pub struct Embedding {
    words: Arc<WordTable>,
    positions: Encoding,
    pub(super) after: Process,
    width: usize,
}

enum Encoding {
    /// Sines and cosines, [TABULATED, width]; later positions are computed.
    Sinusoid(Vec<f32>),
    /// Trained vectors, [positions, width].
    Trained(Vec<f32>),
    None,
}

impl Embedding {
    /// The embedding over the vectors of `words`; `prefix` is `encoder` or `decoder`.
    ///
    /// # Errors
    /// When a parameter is missing or has another shape.
    pub fn new(params: Params<'_>, options: &Options, prefix: &str, words: Arc<WordTable>) -> Result<Self> {
        const TRAINED: &str = "Wpos";
        let width = options.width;
        let positions = match options.positions {
            Positions::Sinusoid => Encoding::Sinusoid(tabulated(width)),
            Positions::None => Encoding::None,
            Positions::Trained => {
                let tensor = params.weights().get(TRAINED)?;
                let (rows, _) = tensor.matrix()?;
                if rows == 0 {
                    return Err(tensor.fault("has no positions"));
                }
                Encoding::Trained(params.matrix(TRAINED, rows, width)?)
            }
        };
        let after = Process::before(params, &options.after_embedding, &format!("{prefix}_emb"), width)?;
        Ok(Self { words, positions, after, width })
    }

    /// Appends the vector of `word` at `position` to `rows`; no word has zeros. The operations after
    /// embeddings aren't applied here.
    pub(super) fn push(&self, word: Option<u32>, position: usize, rows: &mut Vec<f32>) {
        let start = rows.len();
        rows.resize(start + self.width, 0.0);
        let row = &mut rows[start..];
        let mut factor = 1.0;
        match &self.positions {
            Encoding::None => {}
            Encoding::Trained(table) => {
                let last = table.len() / self.width - 1;
                row.copy_from_slice(&table[position.min(last) * self.width..][..self.width]);
            }
            Encoding::Sinusoid(table) => {
                factor = (self.width as f32).sqrt();
                match table.chunks_exact(self.width).nth(position) {
                    Some(sinusoid) => row.copy_from_slice(sinusoid),
                    None => add_sinusoid(row, position),
                }
            }
        }
        if let Some(word) = word {
            self.words.add(word, factor, row);
        }
    }

    /// The position that the decoder gives to the word at `position` of a hypothesis. With trained positions
    /// Marian counts from 0 within each call, and decoding makes a call for each word.
    pub(super) fn step_position(&self, position: usize) -> usize {
        if matches!(self.positions, Encoding::Trained(_)) { 0 } else { position }
    }
}

/// Number of positions whose sines and cosines are tabulated: few sentences have more words.
const TABULATED: usize = 256;

fn tabulated(width: usize) -> Vec<f32> {
    let mut table = vec![0.0; TABULATED * width];
    table.chunks_exact_mut(width).enumerate().for_each(|(position, row)| add_sinusoid(row, position));
    table
}

/// Sines in the first half, cosines in the second; the divisor is D/2 − 1.
fn add_sinusoid(row: &mut [f32], position: usize) {
    let half = row.len() / 2;
    let increment = 10_000f32.ln() / (half as f32 - 1.0);
    for i in 0..half {
        let angle = position as f32 * (-increment * i as f32).exp();
        row[i] += angle.sin();
        row[half + i] += angle.cos();
    }
}
