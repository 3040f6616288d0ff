//! Marian's Transformer: the stacks of encoder and decoder, around an exchangeable sublayer of the decoder.
//!
//! [`Options`] reads the configuration, and refuses what would change the translation unnoticed. The
//! decoder's autoregressive sublayer is an [`Autoregression`]. Self-attention is here, because all engines
//! are compared with it; other sublayers belong to their engines. Guided alignment needs no code: it is one
//! head of an attention that exists anyway.

mod attention;
mod autoregression;
mod decoder;
mod embedding;
mod encoder;
mod feed_forward;
mod history;
mod options;
mod process;
mod self_attention;
mod stacks;

use std::sync::Arc;

use dyno_formats::{MarianConfig, Result};

pub use autoregression::{Autoregression, AutoregressionState};
pub use options::{Feed, Options, Positions, activation};
pub use process::{Codes, Process, Scratch};
pub use self_attention::SelfAttention;

pub use stacks::Transformer;

use crate::network::{Network, Sizes};
use crate::params::Params;
use decoder::State;

impl Transformer {
    /// Reads the network; `autoregression` makes the decoder's sublayer of the layer that is stored under a
    /// number.
    ///
    /// # Errors
    /// When the configuration asks for what isn't known, or a parameter is missing or has another shape.
    pub fn load(
        config: &MarianConfig,
        params: Params<'_>,
        autoregression: impl Fn(Params<'_>, &Options, usize) -> Result<Arc<dyn Autoregression>>,
    ) -> Result<Network> {
        let options = Options::read(config)?;
        let stacks = Arc::new(Self::read(config, params, &options, autoregression)?);
        let sizes = Sizes {
            words: options.words,
            parameters: params.weights().parameters(),
            attended: options.decoder_layers.len() * 2 * options.width, // keys and values
            stepped_bytes: params.decoder_bytes(),
        };
        Ok(Network::new(sizes, move || State::new(Arc::clone(&stacks))))
    }
}
