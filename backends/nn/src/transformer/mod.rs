//! The Transformer: the stacks of encoder and decoder, around an exchangeable sublayer of the decoder.
//!
//! A [`TransformerSpec`] says what the network is. The decoder's autoregressive sublayer is an [`Autoregression`].
//! Self-attention is here, because all engines are compared with it; other sublayers belong to their engines. Guided
//! alignment needs no code: it is one head of an attention that exists anyway.

mod attention;
mod autoregression;
mod decoder;
mod embedding;
mod encoded;
mod encoder;
mod feed_forward;
mod history;
mod process;
mod self_attention;
mod stacks;
mod within;

use std::sync::Arc;

use dyno_formats::spec::TransformerSpec;
use dyno_formats::{ModelSpec, Result};

pub use attention::Attention;
pub use autoregression::{Autoregression, AutoregressionState};
pub use encoded::Encoded;
pub use encoder::{Encoder, EncoderLayer};
pub use feed_forward::FeedForward;
pub use process::Process;
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
    /// When the network is no Transformer, or a parameter is missing or has another shape.
    pub fn load(
        model: &ModelSpec,
        params: Params<'_>,
        autoregression: impl Fn(Params<'_>, &TransformerSpec, usize) -> Result<Arc<dyn Autoregression>>,
    ) -> Result<Network> {
        let spec = model.transformer()?;
        let stacks = Arc::new(Self::read(model, params, spec, autoregression)?);
        let sizes = Sizes {
            words: model.words,
            parameters: params.weights().parameters(),
            attended: spec.decoder_layers.len() * 2 * spec.width, // keys and values
            stepped_bytes: params.decoder_bytes(),
        };
        Ok(Network::new(sizes, move || State::new(Arc::clone(&stacks))))
    }
}
