//! The engine `transformer-aan`: Transformers whose decoder averages over what it has written (Zhang et al. 2018),
//! as in Marian's entry of 2018; and plain self-attention decoders, which are the yardstick for both.
//!
//! It owns the average sublayer; everything else is the stack of `dyno-nn` and the search of `dyno-translator`.

mod average;

use std::sync::Arc;

use dyno_formats::{MarianConfig, Result};
use dyno_nn::transformer::{Autoregression, Options, SelfAttention, Transformer};
use dyno_nn::{Network, Params};
use dyno_translator::{Customs, Engine, Switches};

use average::{Average, Shape};

/// The backend.
pub const ENGINE: Engine = Engine {
    name: "transformer-aan",
    about: "Transformer with an average-attention or self-attention decoder (Marian's models)",
    customs: Customs::MARIAN,
    suits,
    load,
};

/// The key that tells the decoders apart.
const AUTOREG: &str = "transformer-decoder-autoreg";

fn suits(config: &MarianConfig) -> Result<bool> {
    let known = matches!(config.text(AUTOREG)?, "average-attention" | "self-attention");
    Ok(config.text("type")? == "transformer" && known)
}

fn load(config: &MarianConfig, params: Params<'_>, _: &Switches) -> Result<Network> {
    if config.text(AUTOREG)? == "self-attention" {
        let layer = |params: Params<'_>, options: &Options, number: usize| {
            let attention = SelfAttention::new(params, options, number)?;
            Ok(Arc::new(attention) as Arc<dyn Autoregression>)
        };
        return Transformer::load(config, params, layer);
    }
    let shape = Shape::read(config)?;
    let layer = |params: Params<'_>, options: &Options, number: usize| {
        Ok(Arc::new(Average::new(params, options, shape, number)?) as Arc<dyn Autoregression>)
    };
    Transformer::load(config, params, layer)
}
