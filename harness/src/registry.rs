//! The backends that are built in. The only file that names them.

use std::path::Path;

use dyno_api::{Backend, closest};

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
    ]
}

/// The backend of that name, or what to say where there is none.
pub fn find(name: &str) -> Result<&'static dyn Backend, String> {
    all().iter().copied().find(|backend| backend.name() == name).ok_or_else(|| {
        let names: Vec<_> = all().iter().map(|backend| backend.name()).collect();
        let near = closest(name, names.iter().copied()).map(|near| format!(" (did you mean {near:?}?)"));
        format!("no backend {name:?}{}; there are: {}", near.unwrap_or_default(), names.join(", "))
    })
}

/// The backend whose family `model` is of.
pub fn suiting(model: &Path) -> Option<&'static dyn Backend> {
    all().iter().copied().find(|backend| backend.suits(model))
}
