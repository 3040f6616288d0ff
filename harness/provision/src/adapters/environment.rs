//! Private Python of an adapter: the packages of its `requirements.txt`, all pinned, in the user's cache.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use dyno_record::hash_of;

use super::folders::Adapter;
use crate::environment::{Packages, build};
use crate::error::{Error, Result};
use crate::{Listener, cache_folder};

/// State of an adapter on this host.
pub enum State<'a> {
    /// Its environment is built.
    Ready,
    /// Its environment is built when a campaign needs it.
    Unbuilt,
    /// The engine can't be installed, for this reason.
    Unavailable(&'a str),
}

/// State of `adapter` on this host.
pub fn state(adapter: &Adapter) -> State<'_> {
    match &adapter.description.unavailable {
        Some(reason) => State::Unavailable(reason),
        None if Environment::of(adapter).is_ok_and(|environment| environment.is_built()) => State::Ready,
        None => State::Unbuilt,
    }
}

/// Interpreter of `adapter`, if its environment is built.
pub fn python(adapter: &Adapter) -> Option<PathBuf> {
    matches!(state(adapter), State::Ready).then(|| Environment::of(adapter).ok().map(|own| own.python()))?
}

/// Builds the environment of `adapter` if it is missing.
///
/// # Errors
/// If the engine can't be installed, or not here and now.
pub fn provide(adapter: &Adapter, say: Listener<'_>) -> Result<()> {
    match &adapter.description.unavailable {
        Some(reason) => Err(adapter.unusable(reason)),
        None => Environment::of(adapter)?.provide(say),
    }
}

/// The environment of an adapter, built or not.
pub struct Environment<'a> {
    adapter: &'a Adapter,
    /// Folder of the environment; `None` for an adapter without packages, which runs in the user's Python.
    pub(super) folder: Option<PathBuf>,
}

impl<'a> Environment<'a> {
    /// The environment of `adapter`. Its name holds a hash of the packages, of what is made of them, and of Python's
    /// version, since packages are compiled for one version.
    pub fn of(adapter: &'a Adapter) -> Result<Self> {
        let requirements = adapter.requirements();
        if !requirements.is_file() {
            return Ok(Self { adapter, folder: None });
        }
        let mut content = dyno_api::files::read_to_string(&requirements)? + python_version();
        if let Some(program) = adapter.preparation() {
            content += &dyno_api::files::read_to_string(&program)?;
        }
        let name = format!("{}-{}", adapter.name, &hash_of(content.as_bytes())[..8]);
        let cache = cache_folder()?;
        Ok(Self { adapter, folder: Some(cache.join("adapters").join(name)) })
    }

    /// Path of the interpreter.
    pub fn python(&self) -> PathBuf {
        self.folder.as_ref().map_or_else(|| "python3".into(), |folder| folder.join("bin/python3"))
    }

    /// Whether there is nothing to build.
    pub fn is_built(&self) -> bool {
        self.folder.is_none() || self.python().exists()
    }

    /// Builds the environment if it is missing.
    pub fn provide(&self, say: Listener<'_>) -> Result<()> {
        let Some(folder) = self.folder.as_ref().filter(|_| !self.is_built()) else { return Ok(()) };
        let Adapter { name, description, .. } = self.adapter;
        let takes = megabytes(description.takes_mb);
        say(format_args!("adapter {name}: building its private environment (once, about {takes}) …"));
        let remedy = "a network is needed once, and a Python that the pinned packages support";
        let progress = |bytes: u64| {
            say(format_args!("adapter {name}: {} of about {takes}", megabytes(bytes / 1_000_000)));
        };
        let prepare = self.adapter.preparation();
        let packages = Packages {
            install: vec!["-r".into(), self.adapter.requirements().into()],
            prepare: prepare.as_deref(),
            takes: description.takes_mb * 1_000_000,
            remedy,
        };
        build(folder, &packages, &progress)
            .map_err(|reason| Error::Unbuilt { adapter: name.clone(), reason: reason.into() })
    }
}

/// Room on the disk as people read it: `40 MB`, `1.4 GB`.
pub fn megabytes(megabytes: u64) -> String {
    match megabytes {
        0 => "nothing".into(),
        1..1000 => format!("{megabytes} MB"),
        _ => format!("{:.1} GB", megabytes as f64 / 1e3),
    }
}

/// Version of the user's Python; empty without one, which the build reports.
fn python_version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let told = Command::new("python3").arg("--version").output();
        told.map(|told| String::from_utf8_lossy(&told.stdout).into_owned()).unwrap_or_default()
    })
}
