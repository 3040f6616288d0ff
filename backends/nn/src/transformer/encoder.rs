//! The encoder: sentences of a batch one after the other, without padding, each attending to itself alone.

use dyno_formats::Result;

use super::attention::{Attention, Weights};
use super::embedding::Embedding;
use super::feed_forward::FeedForward;
use super::{Options, Process};
use crate::Sentence;
use crate::params::Params;

/// The encoder's layers.
pub(super) struct Encoder {
    layers: Vec<(Attention, FeedForward)>,
    top: Process,
    width: usize,
}

/// Buffers, and the result.
#[derive(Default)]
pub(super) struct Encoded {
    /// [words of all sentences, D].
    pub(super) rows: Vec<f32>,
    /// Where each sentence begins in them, counted in words; one more than there are sentences.
    pub(super) starts: Vec<usize>,
    embedded: Vec<f32>,
    input: Vec<f32>,
    query: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
    weights: Weights,
}

impl Encoder {
    pub(super) fn new(params: Params<'_>, options: &Options) -> Result<Self> {
        let layer = |number: usize| {
            let attention = Attention::new(params, options, &format!("encoder_l{number}_self"))?;
            let prefix = format!("encoder_l{number}_ffn");
            Ok((attention, FeedForward::new(params, options, options.feeds[0], &prefix)?))
        };
        Ok(Self {
            layers: (1..=options.encoder_depth).map(layer).collect::<Result<_>>()?,
            top: Process::after(params, &options.after_top, "encoder_top", options.width)?,
            width: options.width,
        })
    }

    pub(super) fn encode(&self, embedding: &Embedding, batch: &[Sentence<'_>], encoded: &mut Encoded) {
        encoded.rows.clear();
        encoded.starts.clear();
        encoded.starts.push(0);
        for sentence in batch {
            for (position, id) in sentence.ids.iter().enumerate() {
                embedding.push(Some(*id), position, &mut encoded.rows);
            }
            encoded.starts.push(encoded.rows.len() / self.width);
        }
        encoded.embedded.clone_from(&encoded.rows);
        embedding.after.apply(&mut encoded.rows, &[]);
        for (attention, feed) in &self.layers {
            self.attend(attention, encoded);
            feed.apply(&mut encoded.rows, &mut encoded.input, &mut encoded.query);
        }
        self.top.apply(&mut encoded.rows, &encoded.embedded);
    }

    fn attend(&self, attention: &Attention, encoded: &mut Encoded) {
        let width = self.width;
        encoded.input.clone_from(&encoded.rows);
        attention.before.apply(&mut encoded.rows, &[]);
        attention.query.apply(&encoded.rows, &mut encoded.query);
        attention.key.apply(&encoded.rows, &mut encoded.keys);
        attention.value.apply(&encoded.rows, &mut encoded.values);
        for span in encoded.starts.windows(2) {
            let (start, len) = (span[0], span[1] - span[0]);
            let key = |at: usize| &encoded.keys[(start + at) * width..][..width];
            let value = |at: usize| &encoded.values[(start + at) * width..][..width];
            for word in start..start + len {
                let query = &encoded.query[word * width..][..width];
                let out = &mut encoded.rows[word * width..][..width];
                attention.attend(query, len, key, value, out, &mut encoded.weights);
            }
        }
        attention.finish(&mut encoded.rows, &encoded.input, &mut encoded.query);
    }
}
