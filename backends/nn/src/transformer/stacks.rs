//! The stacks of a Transformer: encoder, decoder layers, embeddings and output layer, with their weights.

use std::sync::Arc;

use dyno_formats::spec::TransformerSpec;
use dyno_formats::{ModelSpec, Result};

use super::attention::Attention;
use super::autoregression::Autoregression;
use super::embedding::{Embedding, Encoding};
use super::encoder::Encoder;
use super::feed_forward::FeedForward;
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
        model: &ModelSpec,
        params: Params<'_>,
        spec: &TransformerSpec,
        autoregression: impl Fn(Params<'_>, &TransformerSpec, usize) -> Result<Arc<dyn Autoregression>>,
    ) -> Result<Self> {
        let tensors = WordTensors { widths: [spec.width; 3], output: "decoder_ff_logit_out" };
        let tables = WordTables::read(model, params, tensors, str::to_owned)?;
        let positions = Arc::new(Encoding::new(params, spec)?);
        let layer = |number: &usize| {
            let prefix = format!("decoder_l{number}");
            let feed = spec.feeds[1];
            Ok(Layer {
                autoregression: autoregression(params, spec, *number)?,
                context: Attention::new(params, spec, spec.heads[1], &format!("{prefix}_context"))?,
                feed: FeedForward::new(params, spec, feed, &format!("{prefix}_ffn"))?,
            })
        };
        Ok(Self {
            encoder: Encoder::read(params, spec)?,
            layers: spec.decoder_layers.iter().map(layer).collect::<Result<_>>()?,
            top: Process::after(params, &spec.after_top, "decoder_top", spec.width)?,
            output: Output::new(tables.output),
            source: Embedding::new(params, spec, "encoder", tables.source, Arc::clone(&positions))?,
            target: Embedding::new(params, spec, "decoder", tables.target, positions)?,
            width: spec.width,
            alignment_layer: spec.alignment_layer,
        })
    }
}
