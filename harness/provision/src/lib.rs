//! Brings what systems and scorers need beside the bench: made once, in the user's cache, aside and then renamed into
//! place. dyno never installs into an environment of the user.
//!
//! Nothing here is measured, and no system is started. Callers hear of what takes long by a [`Listener`].

pub mod adapters;
pub mod data;
pub mod environment;
mod error;
pub mod image;

use std::fmt::Arguments;
use std::path::PathBuf;

pub use error::{Error, Result};

/// Hears, in one line, of what takes long.
pub type Listener<'a> = &'a dyn Fn(Arguments<'_>);

/// Folder of dyno in the user's cache, by the XDG base directory specification. dyno can make its files
/// again.
pub fn cache_folder() -> Result<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let none = || Error::Refused("neither XDG_CACHE_HOME nor HOME is set".into());
    cache.map(|cache| cache.join("dyno")).ok_or_else(none)
}

/// Hint at the one of `known` that `name` may be meant for: ` (did you mean "gru"?)`, or nothing.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near = dyno_api::closest(name, known.into_iter());
    near.map(|near| format!(" (did you mean {near:?}?)")).unwrap_or_default()
}

/// Last line of what a program said.
fn last_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.trim_end().lines().last().unwrap_or("no message").trim().into()
}
