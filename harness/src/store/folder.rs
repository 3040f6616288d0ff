//! Whose a run's folder is: vacant, locked by somebody, finished, or another run's.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::files::{read_json, read_whole_lines};
use super::identity::Identity;
use super::journal::check_schema;
use crate::exit::{Outcome, bad_input};

/// Whether the run of `identity` lies in `folder`, whole. Only looks: a run that isn't ours is left as it is.
pub(super) fn is_finished(folder: &Path, identity: &Identity, rounds: usize) -> Outcome<bool> {
    check_vacant(folder)?;
    let Some(there) = read_identity(folder)? else { return Ok(false) };
    if there.key != identity.key {
        let (folder, campaign, key) = (folder.display(), there.campaign, there.key);
        let remedy = "choose another --out, or go back to what was measured there";
        return Err(bad_input(format!("{folder} holds another run ({campaign}-{key}): {remedy}")));
    }
    let records = read_whole_lines(&folder.join("records.jsonl"))?;
    Ok(records.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count() >= rounds
        && folder.join("summary.csv").exists())
}

pub(super) fn numbered(base: &Path, number: usize) -> PathBuf {
    match number {
        1 => base.into(),
        _ => PathBuf::from(format!("{}-{number}", base.display())),
    }
}

/// A folder that holds something else than a run is left alone.
fn check_vacant(folder: &Path) -> Outcome<()> {
    if folder.exists() && !folder.is_dir() {
        return Err(bad_input(format!("{} is not a folder; name one for the run", folder.display())));
    }
    let Ok(mut entries) = fs::read_dir(folder) else { return Ok(()) };
    let ours = ["run.json", "run.lock"].iter().any(|name| folder.join(name).exists());
    if ours || entries.next().is_none() {
        return Ok(());
    }
    let remedy = "name a new or an empty folder, or a run's";
    Err(bad_input(format!("{} holds files that are no run: {remedy}", folder.display())))
}

pub(super) fn create(folder: &Path) -> Outcome<()> {
    fs::create_dir_all(folder).map_err(|error| {
        let remedy = "make it writable, or put the run elsewhere with --out DIR";
        bad_input(format!("can't create {}: {error}; {remedy}", folder.display()))
    })
}

pub(super) fn lock(folder: &Path) -> Outcome<File> {
    let path = folder.join("run.lock");
    let file =
        File::create(&path).map_err(|error| bad_input(format!("can't write {}: {error}", path.display())))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let remedy = "wait for it, or put this run elsewhere with --out DIR";
            Err(bad_input(format!("another dyno is at work in {}: {remedy}", folder.display())))
        }
        Err(TryLockError::Error(error)) => {
            Err(bad_input(format!("{} can't be locked: {error}; put the run elsewhere", path.display())))
        }
    }
}

pub(super) fn read_identity(folder: &Path) -> Outcome<Option<Identity>> {
    let path = folder.join("run.json");
    let text: Option<serde_json::Value> = read_json(&path)?;
    if let Some(schema) = text.as_ref().and_then(|text| text["protocol"]["schema"].as_u64()) {
        check_schema(&path, u32::try_from(schema).unwrap_or(u32::MAX))?;
    }
    let damaged = |error| bad_input(format!("{} is damaged: {error}", path.display()));
    text.map(serde_json::from_value).transpose().map_err(damaged)
}
