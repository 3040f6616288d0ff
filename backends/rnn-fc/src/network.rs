//! A network of this engine with its weights.

use dyno_formats::spec::FullyConnectedSpec;
use dyno_formats::{ModelSpec, Result};
use dyno_nn::output::Output;
use dyno_nn::recurrent::Functions;
use dyno_nn::{Params, WordTables, WordTensors};
use dyno_translator::Switches;

use crate::bottom::{self, Bottom};
use crate::counts::WorkDone;
use crate::embedded::Embedded;
use crate::source::{self, Source};
use crate::stack::Stack;
use crate::switches::{ATTENTION, EMBEDDINGS, MERGED, TABLES};

/// Weights and options that workers share.
pub(crate) struct RnnFc {
    pub(crate) spec: FullyConnectedSpec,
    pub(crate) merged: bool,
    pub(crate) source: Source,
    pub(crate) target_words: Embedded,
    pub(crate) bottom: Bottom,
    pub(crate) stack: Stack,
    pub(crate) output: Output,
    pub(crate) done: WorkDone,
}

impl RnnFc {
    /// Reads the network.
    ///
    /// # Errors
    /// When the network is of another kind, or a parameter is missing or has another shape.
    pub(crate) fn new(model: &ModelSpec, params: Params<'_>, switches: &Switches) -> Result<Self> {
        let spec = model.fully_connected()?;
        let tensors =
            WordTensors { widths: [spec.embedding, spec.embedding, spec.hidden()], output: "output" };
        let tables = WordTables::read(model, params, tensors, |name| {
            name.replace("encoder_", "source_").replace("decoder_", "target_")
        })?;
        let known = switches.count(EMBEDDINGS);
        let source = Embedded::new(tables.source, source::first_input(params, spec)?, known);
        let functions = Functions::new(params.kernels(), switches.on(TABLES));
        Ok(Self {
            merged: switches.on(MERGED),
            source: Source::new(params, spec, source, functions)?,
            target_words: Embedded::new(tables.target, bottom::word_input(params, spec)?, known),
            bottom: Bottom::new(params, spec, functions, switches.on(ATTENTION))?,
            stack: Stack::new(params, spec, functions)?,
            output: Output::new(tables.output),
            done: WorkDone::default(),
            spec: spec.clone(),
        })
    }
}
