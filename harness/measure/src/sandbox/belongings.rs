//! What belongs to a system on the host, and so is visible in its sandbox: what its command names, its model, the
//! installation of its program, its parts.

use std::path::{Path, PathBuf};

use super::installation::installation;
use super::resolution::Resolution;
use crate::files::entries_below;
use crate::system::System;

/// Files and folders that belong to a system, as they are spelled, and the resolutions to them.
pub(crate) fn paths_and_resolutions(system: &System) -> (Vec<PathBuf>, Vec<Resolution>) {
    let paths = own_paths(system);
    let resolutions = paths.iter().cloned().chain(home()).map(|path| Resolution::of(&path)).collect();
    (paths, resolutions)
}

/// What a system names, its program's installation, its parts, and the files that links in its models' folders
/// lead to. A submission comes from others: neither a name nor a link of its files shows more of the host than its
/// folder.
fn own_paths(system: &System) -> Vec<PathBuf> {
    let mut paths = system.parts.clone();
    if system.sized_by_sight {
        let is_within = |path: &Path| system.parts.iter().any(|part| path.starts_with(part));
        let within = system.models.iter().filter_map(|model| model.canonicalize().ok());
        return within.filter(|model| is_within(model)).chain(paths).collect();
    }
    let start = folder(system).unwrap_or_default();
    if let Some(program) = system.command.first().filter(|_| !system.hosted) {
        paths.extend(installation(program.word(), &start, &search_path(system)));
        paths.extend(program_folder(system, &start));
    }
    paths.extend(named_files(system).into_iter().chain(named_folders(system, &start)));
    paths.extend(system.models.iter().flat_map(|model| linked(model)));
    paths
}

/// Files and folders of a model that lie elsewhere, behind links.
fn linked(model: &Path) -> Vec<PathBuf> {
    let Ok(own) = model.canonicalize() else { return Vec::new() };
    let is_elsewhere = |real: PathBuf| !real.starts_with(&own) && !own.starts_with(&real);
    let leads_there = |entry: &PathBuf| entry.is_symlink() && entry.canonicalize().is_ok_and(is_elsewhere);
    let entries = if model.is_dir() { entries_below(model).unwrap_or_default() } else { Vec::new() };
    entries.into_iter().filter(leads_there).collect()
}

/// Folders that the words of a system's command name. One that holds the folder `start` would show all of it.
fn named_folders(system: &System, start: &Path) -> Vec<PathBuf> {
    let holds_start = |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| start.starts_with(folder));
    let named = words_of(system).map(|word| start.join(word));
    named.filter(|path| path.is_dir() && !holds_start(path)).collect()
}

/// Folder of a system's program or script, if it lies below the folder `start`.
fn program_folder(system: &System, start: &Path) -> Option<PathBuf> {
    let mut files =
        system.command.iter().filter_map(|argument| start.join(argument.word()).canonicalize().ok());
    let folder = files.find(|path| path.is_file())?.parent()?.to_owned();
    (folder.starts_with(start) && folder != start && start.parent().is_some()).then_some(folder)
}

/// Home of the user, which is empty in a sandbox.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::home_dir().and_then(|home| home.canonicalize().ok()).filter(|home| home.parent().is_some())
}

/// Folders in which the system's programs are looked for.
pub(crate) fn search_path(system: &System) -> String {
    let own = system.environment.iter().rev().find(|(name, _)| name == "PATH").map(|(_, path)| path.clone());
    own.or_else(|| std::env::var("PATH").ok()).unwrap_or_default()
}

/// Files that a system names: its models, and the files of its command.
pub(crate) fn named_files(system: &System) -> Vec<PathBuf> {
    let folder = folder(system).unwrap_or_default();
    let files = words_of(system).map(|word| folder.join(word)).filter(|path| path.is_file());
    let named = system.models.iter().chain(&system.tuning).cloned();
    files.chain(named).collect()
}

/// Words of a system's command, and the values in them.
fn words_of(system: &System) -> impl Iterator<Item = &str> {
    system.command.iter().flat_map(|argument| values(argument.word()))
}

/// A word of a command, the value in it: that of `--vocab=FILE`, or of a setting `vocab="FILE"`, and the words of
/// that value, as in `shortlist=FILE 100 50`.
fn values(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once('=').map(|(_, value)| value.trim_matches('"'));
    let parts = value.into_iter().flat_map(|value| value.split(' ').filter(move |part| *part != value));
    [word].into_iter().chain(value).chain(parts)
}

/// Folder that the system is started in, without symbolic links.
pub(crate) fn folder(system: &System) -> Option<PathBuf> {
    let folder = system.folder.clone().or_else(|| std::env::current_dir().ok());
    folder.and_then(|folder| folder.canonicalize().ok())
}
