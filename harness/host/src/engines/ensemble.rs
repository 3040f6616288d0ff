//! Ensembles whose models are of different engines. An ensemble of one engine's models is that engine's own.

use dyno_formats::{ModelSpec, Result};
use dyno_nn::{Network, Params};
use dyno_translator::{Customs, Engine, Switches};

/// The engines for Marian's models.
fn engines() -> &'static [&'static Engine] {
    &[
        #[cfg(feature = "gru")]
        &dyno_gru::ENGINE,
        #[cfg(feature = "ssru")]
        &dyno_ssru::ENGINE,
        #[cfg(feature = "transformer-aan")]
        &dyno_transformer_aan::ENGINE,
    ]
}

/// Ensemble of models of any of these engines, as in Marian: each model runs on the engine of its own family.
pub const ENSEMBLE: Engine = Engine {
    name: "ensemble",
    about: "Models of different engines as one ensemble (Marian's models)",
    customs: Customs::NONE,
    families: &[
        #[cfg(feature = "gru")]
        dyno_formats::Family::Recurrent,
        #[cfg(feature = "ssru")]
        dyno_formats::Family::RecurrentUnits,
        #[cfg(feature = "transformer-aan")]
        dyno_formats::Family::AverageAttention,
        #[cfg(feature = "transformer-aan")]
        dyno_formats::Family::SelfAttention,
    ],
    load: |model, params, _| load_any(model, params),
};

fn load_any(model: &ModelSpec, params: Params<'_>) -> Result<Network> {
    let runs = |engine: &&&Engine| engine.families.contains(&model.family());
    let engine = engines().iter().find(runs).ok_or_else(|| model.misfit())?;
    (engine.load)(model, params, &Switches::defaults(engine.customs.switches))
}
