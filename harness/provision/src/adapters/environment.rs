//! Private Python of an adapter: the packages of its `requirements.txt`, all pinned, in the user's cache.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use dyno_record::hash_of;

use super::folders::Adapter;
use crate::environment::{Packages, build};
use crate::error::{Error, Result, refused};
use crate::{Listener, cache_folder};

impl Adapter {
    /// Folder of the environment, built or not; `None` for an adapter without packages, which runs in the user's
    /// Python. Its name holds a hash of the packages, of what is made of them, and of Python's version, since packages
    /// are compiled for one version.
    pub(super) fn environment(&self) -> Result<Option<PathBuf>> {
        let requirements = self.requirements();
        if !requirements.is_file() {
            return Ok(None);
        }
        let mut content = dyno_api::files::read_to_string(&requirements)? + python_version();
        if let Some(program) = self.preparation() {
            content += &dyno_api::files::read_to_string(&program)?;
        }
        let name = format!("{}-{}", self.name, &hash_of(content.as_bytes())[..8]);
        Ok(Some(cache_folder()?.join("adapters").join(name)))
    }

    /// Path of the interpreter.
    pub fn python(&self) -> Result<PathBuf> {
        Ok(self.environment()?.map_or_else(|| "python3".into(), |folder| folder.join("bin/python3")))
    }

    /// Whether there is nothing to build.
    pub fn is_built(&self) -> bool {
        self.environment().is_ok_and(|folder| folder.is_none_or(|folder| folder.join("bin/python3").exists()))
    }

    /// Builds the environment if it is missing.
    pub fn provide(&self, say: Listener<'_>) -> Result<()> {
        let Self { name, description, .. } = self;
        if let Some(reason) = &description.unavailable {
            return Err(refused!("adapter {name} can't be used: {reason}"));
        }
        let Some(folder) = self.environment()?.filter(|_| !self.is_built()) else { return Ok(()) };
        let takes = megabytes(description.takes_mb);
        say(format_args!("adapter {name}: building its private environment (once, about {takes}) …"));
        let progress = |bytes: u64| {
            say(format_args!("adapter {name}: {} of about {takes}", megabytes(bytes / 1_000_000)));
        };
        let prepare = self.preparation();
        let packages = Packages {
            install: vec!["-r".into(), self.requirements().into()],
            prepare: prepare.as_deref(),
            takes: description.takes_mb * 1_000_000,
            remedy: "a network is needed once, and a Python that the pinned packages support",
        };
        let unbuilt = |reason: Error| refused!("adapter {name} has no environment: {reason}");
        build(&folder, &packages, &progress).map_err(unbuilt)
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
