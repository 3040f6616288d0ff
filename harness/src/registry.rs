//! The backends that are built in. The only file that names them.

use std::path::Path;

use dyno_api::Backend;

use crate::null::Null;

/// All backends of this build, in the order of `dyno list`.
pub fn all() -> &'static [&'static dyn Backend] {
    &[
        &Null,
        #[cfg(feature = "gru")]
        &dyno_gru::ENGINE,
        #[cfg(feature = "ssru")]
        &dyno_ssru::ENGINE,
        #[cfg(feature = "transformer-aan")]
        &dyno_transformer_aan::ENGINE,
    ]
}

/// The backend of that name.
pub fn find(name: &str) -> Option<&'static dyn Backend> {
    all().iter().copied().find(|backend| backend.name() == name)
}

/// The backend whose family `model` is of.
pub fn suiting(model: &Path) -> Option<&'static dyn Backend> {
    all().iter().copied().find(|backend| backend.suits(model))
}
