//! The latest finished run of a campaign, by whatever build of dyno it was measured.
//!
//! A page about several campaigns is made from the runs that are there. Its commands say how to measure the
//! others. A run of a campaign that has changed since is not among them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use dyno_api::files;
use dyno_record::identity::RunSystem;
use dyno_record::{Identity, Profile};
use serde_json::Value;

use super::folder::read_identity;
use super::journal::RECORDS;
use crate::error::Result;
use crate::run::Run;

/// The most thorough finished run below `root` of the campaign `name`, then the one with most systems, then
/// the newest. Its systems are among `systems`, as the campaign describes them, and its processor is `cpu`.
pub fn latest(root: &Path, name: &str, systems: &[RunSystem], cpu: &str) -> Result<Option<(PathBuf, Run)>> {
    best_of(candidates(root, name), name, systems, Some(cpu))
}

/// The best run among those in `folders`, by the same order, on the processor `cpu` or on any.
pub fn best_of(
    folders: Vec<PathBuf>,
    name: &str,
    systems: &[RunSystem],
    cpu: Option<&str>,
) -> Result<Option<(PathBuf, Run)>> {
    let fits = |identity: &Identity| {
        let is_there = cpu.is_none_or(|cpu| identity.host.cpu == cpu);
        identity.campaign == name && is_there && is_described(identity, systems)
    };
    let mut found: Vec<_> = folders
        .into_iter()
        .filter_map(|folder| Some((read_identity(&folder).ok()??, folder)))
        .filter(|(identity, _)| fits(identity))
        .map(|(identity, folder)| (rank(&identity, &folder), folder))
        .collect();
    found.sort();
    for (_, folder) in found.into_iter().rev() {
        let run = Run::read(&folder)?;
        if run.missing_rounds() == 0 && folder.join("summary.csv").exists() {
            return Ok(Some((folder, run)));
        }
    }
    Ok(None)
}

/// The newest run of the campaign `name` among the published ones in `root`: their folders' names begin with the day.
pub fn newest(root: &Path, name: &str) -> Result<Option<(PathBuf, Run)>> {
    let mut folders: Vec<PathBuf> = entries_of(root).collect();
    folders.sort_unstable();
    for folder in folders.into_iter().rev() {
        if read_identity(&folder)?.is_some_and(|identity| identity.campaign == name) {
            let run = Run::read(&folder)?;
            return Ok(Some((folder, run)));
        }
    }
    Ok(None)
}

fn candidates(root: &Path, name: &str) -> Vec<PathBuf> {
    let is_named = |folder: &PathBuf| {
        let its = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        its.and_then(|its| its.strip_prefix(name).map(|rest| rest.starts_with('-'))).unwrap_or(false)
    };
    entries_of(root).filter(is_named).collect()
}

fn entries_of(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(std::result::Result::ok);
    entries.map(|entry| entry.path())
}

/// Whether a campaign still describes all systems of a run so.
fn is_described(identity: &Identity, systems: &[RunSystem]) -> bool {
    let is_ours = |their: &RunSystem| systems.iter().any(|our| our.is_described_as(their));
    !identity.systems.is_empty() && identity.systems.iter().all(is_ours)
}

/// Rank among runs of a campaign: [`Profile::ALL`] begins with the least thorough one.
fn rank(identity: &Identity, folder: &Path) -> (Option<usize>, usize, Option<u64>) {
    let thoroughness = Profile::ALL.iter().position(|known| *known == identity.protocol.profile);
    (thoroughness, identity.systems.len(), began(folder))
}

/// Moment of the first record. Files of a checkout are as old as the checkout.
fn began(folder: &Path) -> Option<u64> {
    let records = BufReader::new(files::open(&folder.join(RECORDS)).ok()?);
    let first: Value = serde_json::from_str(&records.lines().next()?.ok()?).ok()?;
    first["started_unix_ms"].as_u64()
}
