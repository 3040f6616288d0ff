//! The backends that are built in. The only file that names them.

use std::path::PathBuf;

use dyno_api::{Backend, closest};
use dyno_formats::{MarianConfig, ModelDir, Result};
use dyno_nn::{Network, Params};
use dyno_translator::{Customs, Engine, Switches};

use crate::null::Null;

/// All backends of this build, in the order of `dyno list`.
pub fn all() -> &'static [&'static dyn Backend] {
    &[
        &Null,
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

/// Marian lets any of its models translate together: here each runs on the engine of its own family.
const ENSEMBLE: Engine = Engine {
    name: "ensemble",
    about: "Models of different engines as one ensemble (Marian's models)",
    customs: Customs::MARIAN,
    suits: |config| Ok(engine_of(config).is_some()),
    load: |config, params, _| load_any(config, params),
};

fn engine_of(config: &MarianConfig) -> Option<&'static Engine> {
    engines().iter().copied().find(|engine| (engine.suits)(config).unwrap_or(false))
}

fn load_any(config: &MarianConfig, params: Params<'_>) -> Result<Network> {
    let engine = engine_of(config).ok_or_else(|| config.fault("type", "is one that no engine here runs"))?;
    (engine.load)(config, params, &Switches::defaults(engine.customs.switches))
}

/// The backend of that name, or what to say where there is none.
pub fn find(name: &str) -> std::result::Result<&'static dyn Backend, String> {
    all().iter().copied().find(|backend| backend.name() == name).ok_or_else(|| {
        let names: Vec<_> = all().iter().map(|backend| backend.name()).collect();
        let near = closest(name, names.iter().copied()).map(|near| format!(" (did you mean {near:?}?)"));
        format!("no backend {name:?}{}; there are: {}", near.unwrap_or_default(), names.join(", "))
    })
}

/// The backend whose family all of `models` are of, or why there is none.
pub fn suiting(models: &[PathBuf]) -> std::result::Result<&'static dyn Backend, String> {
    let suits = |backend: &&dyn Backend| models.iter().all(|model| backend.suits(model));
    all().iter().copied().find(suits).ok_or_else(|| misfit(models))
}

fn misfit(models: &[PathBuf]) -> String {
    if let Some(gone) = models.iter().find(|model| !model.exists()) {
        return format!("no model at {}; name one that is there, or a --backend", gone.display());
    }
    let unreadable = models.iter().filter_map(|model| ModelDir::open_all(model).err()).next();
    unreadable.map_or_else(
        || {
            let names: Vec<_> = models.iter().map(|model| model.display().to_string()).collect();
            format!(
                "no backend of this build is for {}; --backend says what it lacks for one",
                names.join(", ")
            )
        },
        |error| error.to_string(),
    )
}
