//! The user's cache: what dyno makes once and can make again.

use std::path::PathBuf;

use anyhow::{Result, anyhow};

/// dyno's folder in it, by the XDG base directory specification.
pub fn folder() -> Result<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    cache.map(|cache| cache.join("dyno")).ok_or_else(|| anyhow!("neither XDG_CACHE_HOME nor HOME is set"))
}
