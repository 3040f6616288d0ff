//! A recurrent network with its weights.

use std::sync::Arc;

use dyno_formats::{MarianConfig, Result, Weights};
use dyno_nn::output::Output;
use dyno_nn::{Decoder, Network, Params};

use crate::decoder::{Layers, Worker};
use crate::encoder::Encoder;
use crate::names::Names;
use crate::options::Options;

/// Everything that workers share.
pub(crate) struct Rnn {
    pub(crate) options: Options,
    /// [words, E]; one matrix where they are tied.
    embeddings: [Arc<[f32]>; 2],
    pub(crate) encoder: Encoder,
    pub(crate) layers: Layers,
    pub(crate) output: Output,
    parameters: u64,
}

impl Rnn {
    /// Reads the network.
    ///
    /// # Errors
    /// When the configuration asks for what isn't known, or a parameter is missing or has another shape.
    pub(crate) fn new(config: &MarianConfig, weights: &Weights) -> Result<Self> {
        let options = Options::read(config)?;
        let names = Names::new(weights, &options.kind);
        let embeddings = embeddings(config, names, &options)?;
        Ok(Self {
            encoder: Encoder::new(names, &options)?,
            layers: Layers::new(names, &options)?,
            output: output(config, weights, names, &options, &embeddings[1])?,
            parameters: weights.parameters(),
            embeddings,
            options,
        })
    }

    /// The vector [E] of a source word.
    pub(crate) fn source_embedding(&self, word: u32) -> &[f32] {
        self.embedding(0, word)
    }

    /// The vector [E] of a target word.
    pub(crate) fn target_embedding(&self, word: u32) -> &[f32] {
        self.embedding(1, word)
    }

    fn embedding(&self, side: usize, word: u32) -> &[f32] {
        let width = self.options.embedding;
        &self.embeddings[side][word as usize * width..][..width]
    }
}

fn embeddings(config: &MarianConfig, names: Names<'_>, options: &Options) -> Result<[Arc<[f32]>; 2]> {
    let [source, target] = options.words;
    let read = |name: &str, words: usize| Ok(names.matrix(name, words, options.embedding)?.into());
    if config.flag("tied-embeddings-all")? || config.flag("tied-embeddings-src")? {
        // Its rows are counted by the source; a target of another size can't share them.
        let shared: Arc<[f32]> = read("Wemb", source)?;
        if target != source {
            return Err(config.fault("dim-vocabs", "must be the same twice where embeddings are tied"));
        }
        return Ok([Arc::clone(&shared), shared]);
    }
    Ok([read("encoder_Wemb", source)?, read("decoder_Wemb", target)?])
}

fn output(
    config: &MarianConfig,
    weights: &Weights,
    names: Names<'_>,
    options: &Options,
    target: &Arc<[f32]>,
) -> Result<Output> {
    const PREFIX: &str = "decoder_ff_logit_l2";
    let (words, width) = (options.words[1], options.embedding);
    let tied = config.flag("tied-embeddings-all")? || config.flag("tied-embeddings")?;
    let matrix = if tied {
        Arc::clone(target)
    } else {
        let stored = names.stored(&format!("{PREFIX}_W"));
        let in_nematus = Params(weights).has(&stored) && stored != format!("{PREFIX}_W");
        Output::untied(weights, if in_nematus { "ff_logit" } else { PREFIX }, words, width)?
    };
    let omit = config.flag("output-omit-bias")?;
    let bias = if omit { Vec::new() } else { names.vector(&format!("{PREFIX}_b"), words)? };
    Ok(Output::new(matrix, bias, width))
}

impl Network for Rnn {
    fn source_words(&self) -> usize {
        self.options.words[0]
    }

    fn target_words(&self) -> usize {
        self.options.words[1]
    }

    fn parameters(&self) -> u64 {
        self.parameters
    }

    fn decoder(self: Arc<Self>) -> Box<dyn Decoder> {
        Box::new(Worker::new(self))
    }
}
