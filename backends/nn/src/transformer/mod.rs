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
mod history;
mod options;
mod process;
mod scratch;
mod self_attention;

use std::sync::Arc;

use dyno_formats::{MarianConfig, Result};

pub use autoregression::{Autoregression, Memory};
pub use options::{Feed, Options, Positions, activation};
pub use process::Process;
pub use scratch::Scratch;
pub use self_attention::SelfAttention;

use crate::output::Output;
use crate::params::Params;
use crate::words::{Layout, WordTables};
use crate::{Loaded, Network};
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
}

impl Transformer {
    /// Reads the stacks; `autoregression` makes the decoder's sublayer of the layer stored under a number.
    ///
    /// # Errors
    /// When the configuration asks for what isn't known, or a parameter is missing or has another shape.
    pub fn load(
        config: &MarianConfig,
        params: Params<'_>,
        autoregression: impl Fn(Params<'_>, &Options, usize) -> Result<Arc<dyn Autoregression>>,
    ) -> Result<Arc<dyn Network>> {
        let options = Options::read(config)?;
        let layout = Layout { words: options.words, width: options.width, output: "decoder_ff_logit_out" };
        let tables = WordTables::read(config, params, layout, str::to_owned)?;
        let layer = |number: &usize| {
            let prefix = format!("decoder_l{number}");
            let feed = options.feeds[1];
            Ok(Layer {
                autoregression: autoregression(params, &options, *number)?,
                context: Attention::new(params, &options, &format!("{prefix}_context"))?,
                feed: FeedForward::new(params, &options, feed, &format!("{prefix}_ffn"))?,
            })
        };
        let network = Arc::new(Self {
            encoder: Encoder::new(params, &options)?,
            layers: options.decoder_layers.iter().map(layer).collect::<Result<_>>()?,
            top: Process::after(params, &options.after_top, "decoder_top", options.width)?,
            output: Output::new(tables.output),
            source: Embedding::new(params, &options, "encoder", tables.source)?,
            target: Embedding::new(params, &options, "decoder", tables.target)?,
            width: options.width,
            alignment_layer: options.alignment_layer,
        });
        let (words, parameters) = (options.words, params.weights().parameters());
        let attended = network.layers.len() * 2 * options.width; // keys and values
        let stepped = params.decoder_bytes();
        let worker = move || State::new(Arc::clone(&network));
        Ok(Arc::new(Loaded { words, parameters, attended, stepped, worker }))
    }
}
