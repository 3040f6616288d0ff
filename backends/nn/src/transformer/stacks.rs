//! The stacks of a Transformer: encoder, decoder layers, embeddings and output layer, with their weights.

use std::sync::Arc;

use dyno_formats::{MarianConfig, Result};

use super::attention::Attention;
use super::autoregression::Autoregression;
use super::embedding::{Embedding, Encoding};
use super::encoder::Encoder;
use super::feed_forward::FeedForward;
use super::options::Options;
use super::process::Process;
use crate::output::Output;
use crate::params::Params;
use crate::word_table::{WordTables, WordTensors};

/// A Transformer with its weights, shared by all workers.
pub struct Transformer {
    pub(super) source: Embedding,
    pub(super) target: Embedding,
    pub(super) encoder: Encoder,
    pub(super) layers: Vec<Layer>,
    /// Operations after the decoder's last layer.
    pub(super) top: Process,
    pub(super) output: Output,
    pub(super) width: usize,
    /// Index of the decoder's layer whose attention is the alignment.
    pub(super) alignment_layer: usize,
}

/// One layer of the decoder.
pub(super) struct Layer {
    pub(super) autoregression: Arc<dyn Autoregression>,
    pub(super) context: Attention,
    pub(super) feed: FeedForward,
}

impl Transformer {
    /// Reads the weights; `autoregression` makes the decoder's sublayer of the layer that is stored under a
    /// number.
    pub(super) fn read(
        config: &MarianConfig,
        params: Params<'_>,
        options: &Options,
        autoregression: impl Fn(Params<'_>, &Options, usize) -> Result<Arc<dyn Autoregression>>,
    ) -> Result<Self> {
        let tensors =
            WordTensors { words: options.words, width: options.width, output: "decoder_ff_logit_out" };
        let tables = WordTables::read(config, params, tensors, str::to_owned)?;
        let positions = Arc::new(Encoding::new(params, options)?);
        let layer = |number: &usize| {
            let prefix = format!("decoder_l{number}");
            let feed = options.feeds[1];
            Ok(Layer {
                autoregression: autoregression(params, options, *number)?,
                context: Attention::new(params, options, options.heads[1], &format!("{prefix}_context"))?,
                feed: FeedForward::new(params, options, feed, &format!("{prefix}_ffn"))?,
            })
        };
        Ok(Self {
            encoder: Encoder::new(params, options)?,
            layers: options.decoder_layers.iter().map(layer).collect::<Result<_>>()?,
            top: Process::after(params, &options.after_top, "decoder_top", options.width)?,
            output: Output::new(tables.output),
            source: Embedding::new(params, options, "encoder", tables.source, Arc::clone(&positions))?,
            target: Embedding::new(params, options, "decoder", tables.target, positions)?,
            width: options.width,
            alignment_layer: options.alignment_layer,
        })
    }
}
