//! Folders of adapters, found where dyno's data lie.

use std::fs;
use std::path::PathBuf;

use super::description::Description;
use crate::data;
use crate::did_you_mean;
use crate::error::{Result, refused};

/// Folder of the adapters, in the folder of the data.
const FOLDER: &str = "backends/adapters";

/// An adapter that can be used.
#[derive(Clone, Debug)]
pub struct Adapter {
    /// Name of the adapter: that of its folder.
    pub name: String,
    /// Folder of the adapter.
    pub folder: PathBuf,
    /// Description of the adapter.
    pub description: Description,
}

impl Adapter {
    /// File of the pinned packages; absent for an adapter without any.
    pub fn requirements(&self) -> PathBuf {
        self.folder.join("requirements.txt")
    }

    /// Program that runs in a new environment after its packages are installed, if there is one.
    pub fn preparation(&self) -> Option<PathBuf> {
        Some(self.folder.join("prepare.py")).filter(|program| program.is_file())
    }

    /// Programs that adapters share, such as the protocol, sorted.
    pub fn shared(&self) -> Vec<PathBuf> {
        let entries = self.folder.parent().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten();
        let files = entries.flatten().map(|entry| entry.path());
        let mut programs: Vec<_> =
            files.filter(|path| path.extension().is_some_and(|end| end == "py")).collect();
        programs.sort();
        programs
    }

    /// Lines of a campaign that use the adapter; none if it can't be used.
    pub fn campaign_lines(&self) -> String {
        let Self { name, description: Description { example, unavailable, .. }, .. } = self;
        if unavailable.is_some() {
            return String::new();
        }
        let settings =
            example.settings.as_ref().map_or(String::new(), |settings| format!("settings = {settings}\n"));
        let model = &example.model;
        format!("[[system]]\nname = {name:?}\nadapter = {name:?}\nmodel = {model:?}\n{settings}")
    }

    fn open(name: &str, folder: PathBuf) -> Result<Self> {
        Ok(Self { name: name.into(), description: Description::read(&folder)?, folder })
    }
}

/// All adapters, sorted by name. Of two with one name, the one in the earlier place counts.
pub fn all() -> Result<Vec<Adapter>> {
    folders().into_iter().map(|(name, folder)| Adapter::open(&name, folder)).collect()
}

/// Adapter of that name.
pub fn find(name: &str) -> Result<Adapter> {
    let folders = folders();
    if let Some((_, folder)) = folders.iter().find(|(known, _)| known == name) {
        return Adapter::open(name, folder.clone());
    }
    if folders.is_empty() {
        return Err(refused!("no adapter {name:?}: the folder {FOLDER} is missing; {}", data::REMEDY));
    }
    let names: Vec<&str> = folders.iter().map(|(name, _)| name.as_str()).collect();
    let near = did_you_mean(name, names.iter().copied());
    Err(refused!("no adapter {name:?}{near}; there are: {}", names.join(", ")))
}

fn folders() -> Vec<(String, PathBuf)> {
    let within = |place: PathBuf| fs::read_dir(place.join(FOLDER)).into_iter().flatten().flatten();
    let entries = data::places().into_iter().flat_map(within).map(|entry| entry.path());
    let adapters = entries.filter(|folder| folder.join("adapter.toml").is_file());
    let named = adapters.filter_map(|folder| Some((folder.file_name()?.to_str()?.to_owned(), folder)));
    let mut folders: Vec<_> = named.collect();
    folders.sort_by(|(a, _), (b, _)| a.cmp(b)); // stable: the earlier place stays first
    folders.dedup_by(|(a, _), (b, _)| a == b);
    folders
}
