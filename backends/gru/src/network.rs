//! A recurrent network with its weights.

use std::sync::Arc;

use dyno_formats::spec::RecurrentSpec;
use dyno_formats::{ModelSpec, Result};
use dyno_nn::math::Kernels;
use dyno_nn::output::Output;
use dyno_nn::{Params, WordTable, WordTables, WordTensors};

use crate::encoder::Encoder;
use crate::layers::Layers;
use crate::names::Names;

/// Weights and shape that workers share.
pub(crate) struct Rnn {
    pub(crate) spec: RecurrentSpec,
    pub(crate) source: Arc<WordTable>,
    pub(crate) target: Arc<WordTable>,
    pub(crate) encoder: Encoder,
    pub(crate) layers: Layers,
    pub(crate) output: Output,
    pub(crate) kernels: Kernels,
}

impl Rnn {
    /// Reads the network.
    ///
    /// # Errors
    /// When the network is of another kind, or a parameter is missing or has another shape.
    pub(crate) fn new(model: &ModelSpec, params: Params<'_>) -> Result<Self> {
        let spec = model.recurrent()?;
        let names = Names::new(params, spec.renamed);
        let tensors = WordTensors { widths: [spec.embedding; 3], output: "decoder_ff_logit_l2" };
        let tables = WordTables::read(model, params, tensors, |name| names.stored(name))?;
        Ok(Self {
            encoder: Encoder::new(names, spec)?,
            layers: Layers::new(names, spec)?,
            output: Output::new(tables.output),
            kernels: params.kernels(),
            source: tables.source,
            target: tables.target,
            spec: spec.clone(),
        })
    }
}
