//! Marian's Transformer: encoder and decoder stacks around whatever sublayer the decoder remembers with.
//!
//! [`Options`] reads the configuration, and refuses what would translate differently. The decoder's sublayer that
//! looks back is an [`Autoregression`]: self-attention is here, since it is everybody's yardstick; others are
//! their engines' own. Guided alignment needs nothing: it is one head of an attention that is there anyway.

mod attention;
mod autoregression;
mod decoder;
mod embedding;
mod encoder;
mod feed_forward;
mod options;
mod process;
mod self_attention;

use std::sync::Arc;

use dyno_formats::{MarianConfig, Result, Weights};

pub use autoregression::{Autoregression, Memory};
pub use options::{Feed, Options, Positions, activation};
pub use process::Process;
pub use self_attention::SelfAttention;

use crate::output::Output;
use crate::params::Params;
use crate::{Decoder, Network};
use attention::Attention;
use decoder::{Layer, State};
use embedding::Embedding;
use encoder::Encoder;
use feed_forward::FeedForward;

/// A Transformer with its weights.
pub struct Transformer {
    source: Embedding,
    target: Embedding,
    encoder: Encoder,
    layers: Vec<Layer>,
    top: Process,
    output: Output,
    width: usize,
    alignment_layer: usize,
    words: [usize; 2],
    parameters: u64,
}

impl Transformer {
    /// Reads the stacks; `autoregression` makes the decoder's sublayer of the layer stored under a number.
    ///
    /// # Errors
    /// When the configuration asks for what isn't known, or a parameter is missing or has another shape.
    pub fn new(
        config: &MarianConfig,
        weights: &Weights,
        autoregression: impl Fn(Params<'_>, &Options, usize) -> Result<Arc<dyn Autoregression>>,
    ) -> Result<Self> {
        let (options, params) = (Options::read(config)?, Params(weights));
        let [source, target] = embeddings(config, params, &options)?;
        let layer = |number: &usize| {
            let prefix = format!("decoder_l{number}");
            let feed = options.feeds[1];
            Ok(Layer {
                autoregression: autoregression(params, &options, *number)?,
                context: Attention::new(params, &options, &format!("{prefix}_context"))?,
                feed: FeedForward::new(params, &options, feed, &format!("{prefix}_ffn"))?,
            })
        };
        Ok(Self {
            encoder: Encoder::new(params, &options)?,
            layers: options.decoder_layers.iter().map(layer).collect::<Result<_>>()?,
            top: Process::after(params, &options.after_top, "decoder_top", options.width)?,
            output: output(config, params, &options, &target)?,
            source: Embedding::new(params, &options, "encoder", source)?,
            target: Embedding::new(params, &options, "decoder", target)?,
            width: options.width,
            alignment_layer: options.alignment_layer,
            words: options.words,
            parameters: weights.parameters(),
        })
    }
}

/// The matrices of source and target embeddings; tied ones are one and the same.
fn embeddings(config: &MarianConfig, params: Params<'_>, options: &Options) -> Result<[Arc<[f32]>; 2]> {
    let [source, target] = options.words;
    let read = |name: &str, words: usize| Ok(params.matrix(name, words, options.width)?.into());
    if config.flag("tied-embeddings-all")? || config.flag("tied-embeddings-src")? {
        let shared: Arc<[f32]> = read("Wemb", source)?;
        params.0.get("Wemb")?.expect(target, options.width)?;
        return Ok([Arc::clone(&shared), shared]);
    }
    Ok([read("encoder_Wemb", source)?, read("decoder_Wemb", target)?])
}

fn output(
    config: &MarianConfig,
    params: Params<'_>,
    options: &Options,
    target: &Arc<[f32]>,
) -> Result<Output> {
    const PREFIX: &str = "decoder_ff_logit_out";
    let (words, width) = (options.words[1], options.width);
    let tied = config.flag("tied-embeddings-all")? || config.flag("tied-embeddings")?;
    let weights = if tied { Arc::clone(target) } else { Output::untied(params.0, PREFIX, words, width)? };
    let omit = config.flag("output-omit-bias")?;
    let bias = if omit { Vec::new() } else { params.vector(&format!("{PREFIX}_b"), words)? };
    Ok(Output::new(weights, bias, width))
}

impl Network for Transformer {
    fn source_words(&self) -> usize {
        self.words[0]
    }

    fn target_words(&self) -> usize {
        self.words[1]
    }

    fn parameters(&self) -> u64 {
        self.parameters
    }

    fn decoder(self: Arc<Self>) -> Box<dyn Decoder> {
        Box::new(State::new(self))
    }
}
