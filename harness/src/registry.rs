//! The backends that are built in. The only file that names them.

use dyno_api::Backend;

use crate::null::Null;

/// All backends of this build, in the order of `dyno list`.
pub fn all() -> &'static [&'static dyn Backend] {
    &[&Null]
}

/// The backend of that name.
pub fn find(name: &str) -> Option<&'static dyn Backend> {
    all().iter().copied().find(|backend| backend.name() == name)
}
