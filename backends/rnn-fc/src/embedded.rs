//! Embeddings with the first product that reads them. For frequent words the product can be computed in
//! advance (paper, 4.2).

use std::sync::Arc;

use dyno_nn::WordTable;
use dyno_nn::math::{Linear, Operands};
use dyno_nn::watch::Component;

/// Words of one side with the first product that reads them.
pub(crate) struct Embedded {
    /// Vectors of the words, [words, E].
    vectors: Arc<WordTable>,
    /// The product, [E, N].
    product: Linear,
    /// Products of the first words, [k, N].
    known: Vec<f32>,
}

/// Words whose product isn't precomputed.
#[derive(Default)]
pub(crate) struct Rest {
    /// Rows of the words in the result.
    rows: Vec<usize>,
    vectors: Vec<f32>,
    products: Vec<f32>,
}

impl Embedded {
    /// Computes the products of the first `known` words of `vectors` [words, E]: vocabularies list frequent
    /// words first.
    pub(crate) fn new(vectors: Arc<WordTable>, product: Linear, known: usize) -> Self {
        let mut rows = Vec::new();
        (0..known.min(vectors.words())).for_each(|word| vectors.push(word as u32, &mut rows));
        let mut known = Vec::new();
        product.apply(&rows, &mut Operands::default(), &mut known);
        Self { vectors, product, known }
    }

    /// Whether the product of `word` was computed in advance.
    pub(crate) fn is_known(&self, word: u32) -> bool {
        (word as usize) < self.known.len() / self.product.outputs().max(1)
    }

    /// Replaces `out` by the products [words, N] of `words`. The product of no word is zero, like its
    /// embedding.
    pub(crate) fn apply(
        &self,
        words: impl Iterator<Item = Option<u32>>,
        operands: &mut Operands,
        rest: &mut Rest,
        out: &mut Vec<f32>,
    ) {
        let _embed = Component::Embed.span();
        let outputs = self.product.outputs();
        out.clear();
        rest.rows.clear();
        rest.vectors.clear();
        for (row, word) in words.enumerate() {
            let known = word.and_then(|word| self.known.get(word as usize * outputs..)?.get(..outputs));
            match (known, word) {
                (Some(known), _) => out.extend_from_slice(known),
                (None, None) => out.resize(out.len() + outputs, 0.0),
                (None, Some(word)) => {
                    rest.rows.push(row);
                    self.vectors.push(word, &mut rest.vectors);
                    out.resize(out.len() + outputs, 0.0);
                }
            }
        }
        self.product.apply(&rest.vectors, operands, &mut rest.products);
        for (row, product) in rest.rows.iter().zip(rest.products.chunks_exact(outputs)) {
            out[row * outputs..][..outputs].copy_from_slice(product);
        }
    }
}
