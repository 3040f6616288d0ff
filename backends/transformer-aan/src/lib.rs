//! The engine `transformer-aan`: Transformers whose decoder has average attention or self-attention.
//!
//! Average attention (Zhang et al. 2018; Marian's entry of 2018) takes the mean of all inputs so far instead
//! of attending to each of them. Self-attention is the ordinary Transformer, with which the faster decoders
//! are compared. One engine hosts both, because they differ in one sublayer, which the key
//! `transformer-decoder-autoreg` names.
//!
//! The crate owns the average-attention sublayer (`average`), an implementation of [`Autoregression`].
//! Hugging Face's MarianMT, M2M-100 and NLLB-200 are self-attention models as well; `dyno-formats` opens their
//! directories.
//!
//! Self-attention is in `dyno-nn`, like the rest of the Transformer; search and text are `dyno-translator`'s.
//! [`ENGINE`] is the backend.
//!
//! # What it leaves out
//! Decoders with recurrent units (`dyno-ssru`), and attention masks such as ALiBi, which the options refuse.

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
    about: "Transformer with an average-attention or self-attention decoder (Marian, OPUS-MT, M2M-100, NLLB)",
    customs: Customs::MARIAN,
    suits,
    load,
};

/// Key of the configuration that names the kind of decoder.
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
