//! A recurrent network with its weights.

use std::sync::Arc;

use dyno_formats::{MarianConfig, Result};
use dyno_nn::math::Kernels;
use dyno_nn::output::Output;
use dyno_nn::{Params, WordTable, WordTables, WordTensors};

use crate::encoder::Encoder;
use crate::layers::Layers;
use crate::names::Names;
use crate::options::Options;

/// Weights and options that workers share.
pub(crate) struct Rnn {
    pub(crate) options: Options,
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
    /// When the configuration has unknown values, or a parameter is missing or has another shape.
    pub(crate) fn new(config: &MarianConfig, params: Params<'_>) -> Result<Self> {
        let options = Options::read(config)?;
        let names = Names::new(params, &options.kind);
        let tensors =
            WordTensors { words: options.words, width: options.embedding, output: "decoder_ff_logit_l2" };
        let tables = WordTables::read(config, params, tensors, |name| names.stored(name))?;
        Ok(Self {
            encoder: Encoder::new(names, &options)?,
            layers: Layers::new(names, &options)?,
            output: Output::new(tables.output),
            kernels: params.kernels(),
            source: tables.source,
            target: tables.target,
            options,
        })
    }
}
