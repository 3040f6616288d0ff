//! The built-in backends. This is the only file of the bench that names engines.

use std::path::{Path, PathBuf};

use dyno_api::{Backend, closest};
use dyno_formats::{ModelDir, ModelSpec, Result};
use dyno_nn::{Network, Params};
use dyno_translator::{Customs, Engine, Switches};

use crate::null::Null;

/// All backends of this build, in the order of `dyno list`.
pub fn all() -> &'static [&'static dyn Backend] {
    &[
        &Null,
        #[cfg(feature = "encoder")]
        &dyno_encoder::ENGINE,
        #[cfg(feature = "gru")]
        &dyno_gru::ENGINE,
        #[cfg(feature = "rnn-fc")]
        &dyno_rnn_fc::ENGINE,
        #[cfg(feature = "ssru")]
        &dyno_ssru::ENGINE,
        #[cfg(feature = "transformer-aan")]
        &dyno_transformer_aan::ENGINE,
        &ENSEMBLE,
    ]
}

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
const ENSEMBLE: Engine = Engine {
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

/// Backend of that name, or an error message.
pub fn find(name: &str) -> std::result::Result<&'static dyn Backend, String> {
    all().iter().copied().find(|backend| backend.name() == name).ok_or_else(|| {
        let names: Vec<_> = all().iter().map(|backend| backend.name()).collect();
        let near = closest(name, names.iter().copied()).map(|near| format!(" (did you mean {near:?}?)"));
        format!("no backend {name:?}{}; there are: {}", near.unwrap_or_default(), names.join(", "))
    })
}

/// Backend that suits all `models`, or an error message.
pub fn suiting(models: &[PathBuf]) -> std::result::Result<&'static dyn Backend, String> {
    let suits = |backend: &&dyn Backend| models.iter().all(|model| backend.suits(model));
    all().iter().copied().find(suits).ok_or_else(|| misfit(models))
}

fn misfit(models: &[PathBuf]) -> String {
    if let Some(gone) = models.iter().find(|model| !model.exists()) {
        return format!("no model at {}; give the path of a model, or a --backend", gone.display());
    }
    let unreadable = models.iter().filter_map(|model| ModelDir::open_all(model).err()).next();
    unreadable.map_or_else(
        || {
            let names: Vec<_> = models.iter().map(|model| model.display().to_string()).collect();
            format!(
                "no backend of this build suits {}; choose one with --backend to see why",
                names.join(", ")
            )
        },
        |error| error.to_string(),
    )
}

/// Function that replaces ids by those of a line.
pub type Tokenise = Box<dyn FnMut(&[u8], &mut Vec<u32>) -> std::result::Result<(), String>>;

/// Tokeniser of the encoder in the directory `model`, or an error message.
#[cfg(feature = "encoder")]
pub fn tokeniser(model: &Path) -> std::result::Result<Tokenise, String> {
    let opened = dyno_encoder::Directory::open(model);
    let tokeniser = opened.and_then(|directory| dyno_encoder::Tokeniser::open(&directory));
    let tokeniser = tokeniser.map_err(|error| error.to_string())?;
    let mut scratch = dyno_text::Scratch::default();
    Ok(Box::new(move |line, ids| {
        tokeniser.encode(line, &mut scratch, ids).map_err(|error| error.to_string())
    }))
}

/// This build has no encoder.
#[cfg(not(feature = "encoder"))]
pub fn tokeniser(model: &Path) -> std::result::Result<Tokenise, String> {
    Err(format!("no engine of this build is an encoder, as {} needs; build with one", model.display()))
}
