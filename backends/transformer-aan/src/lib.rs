//! The engine `transformer-aan`: Transformers whose decoder has average attention or self-attention.
//!
//! Average attention (Zhang et al. 2018; Marian's entry of 2018) takes the mean of all inputs so far instead
//! of attending to each of them. Self-attention is the ordinary Transformer, with which the faster decoders
//! are compared. One engine hosts both, because they differ in one sublayer.
//!
//! The crate owns the average-attention sublayer (`average`), an implementation of [`Autoregression`].
//! Hugging Face's MarianMT, M2M-100 and NLLB-200 are self-attention models as well; `dyno-formats` opens their
//! directories.
//!
//! Self-attention is in `dyno-nn`, like the rest of the Transformer; search and text are `dyno-translator`'s.
//! [`ENGINE`] is the backend.
//!
//! # What it leaves out
//! Decoders with recurrent units (`dyno-ssru`), and attention masks such as ALiBi, which are refused when a model is
//! opened.

mod average;

use std::sync::Arc;

use dyno_formats::spec::{AutoregressionSpec, TransformerSpec};
use dyno_formats::{Family, ModelSpec, Result};
use dyno_nn::transformer::{Autoregression, SelfAttention, Transformer};
use dyno_nn::{Network, Params};
use dyno_translator::{Customs, Engine, Switches};

use average::Average;

/// The backend.
pub const ENGINE: Engine = Engine {
    name: "transformer-aan",
    about: "Transformer with an average-attention or self-attention decoder (Marian, OPUS-MT, M2M-100, NLLB)",
    customs: Customs::NONE,
    families: &[Family::SelfAttention, Family::AverageAttention],
    load,
};

fn load(model: &ModelSpec, params: Params<'_>, _: &Switches) -> Result<Network> {
    let kind = model.transformer()?.autoregression;
    let layer = |params: Params<'_>, spec: &TransformerSpec, number: usize| {
        let sublayer: Arc<dyn Autoregression> = match kind {
            AutoregressionSpec::SelfAttention => Arc::new(SelfAttention::new(params, spec, number)?),
            AutoregressionSpec::Average(shape) => Arc::new(Average::new(params, spec, shape, number)?),
            AutoregressionSpec::Ssru(_) => return Err(model.misfit()),
        };
        Ok(sublayer)
    };
    Transformer::load(model, params, layer)
}
