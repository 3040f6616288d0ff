//! The network with its weights.

use std::sync::Arc;

use dyno_formats::spec::OpenNmtSpec;
use dyno_formats::{ModelSpec, Result};
use dyno_nn::math::Linear;
use dyno_nn::output::Output;
use dyno_nn::recurrent::{Functions, Layer};
use dyno_nn::{Params, WordTable, WordTables, WordTensors};

use super::attention::Attention;
use super::cells;
use super::encoder::Encoder;

/// Weights and shape that workers share.
pub(super) struct OpenNmt {
    pub(super) spec: OpenNmtSpec,
    pub(super) source: Arc<WordTable>,
    pub(super) target: Arc<WordTable>,
    pub(super) encoder: Encoder,
    /// Layers of the decoder, from the bottom up: the product of the input, and the layer.
    pub(super) decoder: Vec<(Linear, Layer)>,
    pub(super) attention: Attention,
    pub(super) output: Output,
    pub(super) functions: Functions,
}

impl OpenNmt {
    pub(super) fn new(model: &ModelSpec, params: Params<'_>) -> Result<Self> {
        let spec = model.opennmt()?;
        let [from, to] = spec.embeddings;
        let tensors = WordTensors { widths: [from, to, spec.state], output: "decoder_ff_logit_out" };
        let tables = WordTables::read(model, params, tensors, str::to_owned)?;
        let layer = |number| {
            let prefix = format!("decoder_l{number}");
            let (inputs, state) = (spec.decoder_inputs(number), spec.state);
            let own = cells::layer(params, spec.cell, &prefix, state)?;
            Ok((cells::inputs(params, spec.cell, &[prefix], inputs, state)?, own))
        };
        Ok(Self {
            encoder: Encoder::new(params, spec)?,
            decoder: (1..=spec.depths[1]).map(layer).collect::<Result<_>>()?,
            attention: Attention::new(params, spec)?,
            output: Output::new(tables.output),
            functions: Functions::new(params.kernels(), false),
            source: tables.source,
            target: tables.target,
            spec: spec.clone(),
        })
    }
}
