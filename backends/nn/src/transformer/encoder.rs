//! The encoder: the sentences of a batch lie one after the other, without padding, and each attends to itself
//! alone.

use dyno_formats::Result;
use dyno_formats::spec::TransformerSpec;
use dyno_kernels::KeyValues;

use super::attention::{Attention, Buffers};
use super::embedding::Embedding;
use super::feed_forward::{FeedForward, Hidden};
use super::{Process, Scratch};
use crate::Sentence;
use crate::math::{threads, together};
use crate::params::Params;
use crate::watch::{Component, Operator};

/// The encoder's layers.
pub(super) struct Encoder {
    layers: Vec<(Attention, FeedForward)>,
    top: Process,
    width: usize,
}

/// The encoded batch, and buffers.
#[derive(Default)]
pub(super) struct Encoded {
    /// Vectors of the words of all sentences, [words, D].
    pub(super) rows: Vec<f32>,
    /// First word of each sentence, and the number of all words behind them.
    pub(super) starts: Vec<usize>,
    embedded: Vec<f32>,
    buffers: Buffers,
    /// Attention weights of one query, for each thread.
    weights: Vec<Vec<f32>>,
    /// Keys and values of one sentence in one layer.
    self_attended: Option<KeyValues>,
    hidden: Hidden,
}

impl Encoder {
    pub(super) fn new(params: Params<'_>, spec: &TransformerSpec) -> Result<Self> {
        let layer = |number: usize| {
            let attention = Attention::new(params, spec, spec.heads[0], &format!("encoder_l{number}_self"))?;
            let prefix = format!("encoder_l{number}_ffn");
            Ok((attention, FeedForward::new(params, spec, spec.feeds[0], &prefix)?))
        };
        Ok(Self {
            layers: (1..=spec.encoder_depth).map(layer).collect::<Result<_>>()?,
            top: Process::after(params, &spec.after_top, "encoder_top", spec.width)?,
            width: spec.width,
        })
    }

    pub(super) fn encode(
        &self,
        embedding: &Embedding,
        batch: &[Sentence<'_>],
        encoded: &mut Encoded,
        scratch: &mut Scratch,
    ) {
        let _encoder = Component::Encoder.span();
        self.embed(embedding, batch, encoded);
        for (attention, feed) in &self.layers {
            self.attend(attention, encoded, scratch);
            feed.apply(&mut encoded.rows, &mut encoded.hidden, scratch);
        }
        self.top.apply(&mut encoded.rows, &encoded.embedded, scratch);
    }

    fn embed(&self, embedding: &Embedding, batch: &[Sentence<'_>], encoded: &mut Encoded) {
        let _embed = Component::Embed.span();
        encoded.rows.clear();
        encoded.starts.clear();
        encoded.starts.push(0);
        for sentence in batch {
            for (position, id) in sentence.ids.iter().enumerate() {
                embedding.push(Some(*id), position, &mut encoded.rows);
            }
            encoded.starts.push(encoded.rows.len() / self.width);
        }
        self.top.keep_input(&encoded.rows, &mut encoded.embedded);
        embedding.after.norms(&mut encoded.rows);
    }

    fn attend(&self, attention: &Attention, encoded: &mut Encoded, scratch: &mut Scratch) {
        let (width, Encoded { rows, starts, buffers, self_attended, weights, .. }) = (self.width, encoded);
        let Buffers { query, keys, values, heads, out, .. } = buffers;
        let input = attention.before.prepare(rows, &mut scratch.prepared);
        let parts =
            [(&attention.query, &mut *query), (&attention.key, &mut *keys), (&attention.value, &mut *values)];
        together(input, &mut scratch.operands, parts);
        heads.resize(rows.len(), 0.0);
        let attended = self_attended.get_or_insert_with(|| KeyValues::new(width));
        for span in starts.windows(2) {
            let span = span[0] * width..span[1] * width;
            let _attention = Operator::Attention.span();
            attention.remember(&keys[span.clone()], &values[span.clone()], attended);
            attend(attention, &query[span.clone()], attended, &mut heads[span], weights);
        }
        attention.finish(heads, rows, out, scratch);
    }
}

/// Attends with the queries [words, D] of one sentence; each thread takes some of them, with `weights` of its own.
fn attend(
    attention: &Attention,
    queries: &[f32],
    attended: &KeyValues,
    heads: &mut [f32],
    weights: &mut Vec<Vec<f32>>,
) {
    let bytes = 2 * attended.len() * size_of_val(queries); // each query meets all keys and all values
    let threads = threads::sharing(bytes);
    weights.resize_with(threads.max(weights.len()), Vec::new);
    let some = attended.len().div_ceil(threads) * attention.width;
    threads::each_chunk_with(bytes, weights, heads, some, |weights, at, heads| {
        attention.attend(&queries[at * some..][..heads.len()], attended, heads, weights);
    });
}
