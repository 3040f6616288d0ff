//! The latest finished run of a campaign, by whatever build of dyno it was measured.
//!
//! A page about several campaigns is made from the runs that are there. Its commands say how to measure the
//! others. A run of a campaign that has changed since is not among them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use dyno_measure::Profile;
use dyno_record::Identity;
use dyno_record::identity::RunSystem;

use super::folder::read_identity;
use super::journal::RECORDS;
use crate::error::Result;
use crate::run::Run;

/// The most thorough finished run below `root` of the campaign `name`, then the one with most systems, then
/// the newest. Its systems are among `systems`, as the campaign describes them, and its processor is `cpu`.
pub fn latest(root: &Path, name: &str, systems: &[RunSystem], cpu: &str) -> Result<Option<(PathBuf, Run)>> {
    let mut found: Vec<_> = candidates(root, name)
        .into_iter()
        .filter_map(|folder| Some((read_identity(&folder).ok()??, folder)))
        .filter(|(identity, _)| identity.campaign == name && fits(identity, systems, cpu))
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

fn candidates(root: &Path, name: &str) -> Vec<PathBuf> {
    let is_named = |folder: &PathBuf| {
        let its = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        its.and_then(|its| its.strip_prefix(name).map(|rest| rest.starts_with('-'))).unwrap_or(false)
    };
    let entries = fs::read_dir(root).into_iter().flatten().filter_map(std::result::Result::ok);
    entries.map(|entry| entry.path()).filter(is_named).collect()
}

fn fits(identity: &Identity, systems: &[RunSystem], cpu: &str) -> bool {
    identity.host.cpu == cpu && is_described(identity, systems)
}

/// Whether a campaign still describes all systems of a run so.
pub fn is_described(identity: &Identity, systems: &[RunSystem]) -> bool {
    let is_ours = |their: &RunSystem| systems.iter().any(|our| our.is_described_as(their));
    !identity.systems.is_empty() && identity.systems.iter().all(is_ours)
}

/// Rank among runs of a campaign: [`Profile::ALL`] begins with the least thorough one.
fn rank(identity: &Identity, folder: &Path) -> (Option<usize>, usize, Option<SystemTime>) {
    let written = fs::metadata(folder.join(RECORDS)).and_then(|it| it.modified()).ok();
    let thoroughness = Profile::ALL.iter().position(|known| *known == identity.protocol.profile);
    (thoroughness, identity.systems.len(), written)
}
