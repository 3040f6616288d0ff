//! The built-in backends. This file and `ensemble` list the engines.

use std::path::PathBuf;

use dyno_api::{Backend, closest};
use dyno_formats::ModelDir;

use crate::null::Null;

/// All backends of this build, in the order of `dyno list`.
pub fn all() -> &'static [&'static dyn Backend] {
    &[
        &Null,
        #[cfg(feature = "decoder-only")]
        &dyno_decoder_only::ENGINE,
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
        #[cfg(feature = "engines")]
        &crate::engines::ensemble::ENSEMBLE,
    ]
}

/// Backend of that name, or an error message.
pub fn find(name: &str) -> Result<&'static dyn Backend, String> {
    all().iter().copied().find(|backend| backend.name() == name).ok_or_else(|| {
        let names: Vec<_> = all().iter().map(|backend| backend.name()).collect();
        let near = closest(name, names.iter().copied()).map(|near| format!(" (did you mean {near:?}?)"));
        format!("no backend {name:?}{}; there are: {}", near.unwrap_or_default(), names.join(", "))
    })
}

/// Backend that suits all `models`, or an error message.
pub fn suiting(models: &[PathBuf]) -> Result<&'static dyn Backend, String> {
    let suits = |backend: &&dyn Backend| models.iter().all(|model| backend.suits(model));
    all().iter().copied().find(suits).ok_or_else(|| misfit(models))
}

fn misfit(models: &[PathBuf]) -> String {
    if let Some(gone) = models.iter().find(|model| !model.exists()) {
        return format!("no model at {}; give the path of a model, or a --backend", gone.display());
    }
    if let Some(unreadable) = models.iter().find_map(|model| ModelDir::open_all(model).err()) {
        return unreadable.to_string();
    }
    let names: Vec<_> = models.iter().map(|model| model.display().to_string()).collect();
    format!("no backend of this build suits {}; choose one with --backend to see why", names.join(", "))
}
