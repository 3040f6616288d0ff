//! State of a run's folder: vacant, locked by another process, finished, or of another run.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use dyno_api::files;

use super::files::{read_json, read_whole_lines};
use super::journal::check_schema;
use crate::error::{Error, Result};
use crate::identity::Identity;

/// Whether `folder` holds the whole run of `identity`. Changes nothing in the folder.
pub(super) fn is_finished(folder: &Path, identity: &Identity, rounds: usize) -> Result<bool> {
    check_vacant(folder)?;
    let Some(there) = read_identity(folder)? else { return Ok(false) };
    if there.key != identity.key {
        let remedy = "choose another --out, or run the campaign of that folder";
        let fault = format!("holds another run ({}-{}): {remedy}", there.campaign, there.key);
        return Err(Error::Folder { folder: folder.into(), fault });
    }
    let records = read_whole_lines(&folder.join("records.jsonl"))?;
    Ok(records.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count() >= rounds
        && folder.join("summary.csv").exists())
}

/// Folder of that number; the first folder's name has no number.
pub(super) fn numbered(base: &Path, number: usize) -> PathBuf {
    match number {
        1 => base.into(),
        _ => PathBuf::from(format!("{}-{number}", base.display())),
    }
}

/// Refuses a folder with files that are no run.
fn check_vacant(folder: &Path) -> Result<()> {
    let refused = |fault: &str| Err(Error::Folder { folder: folder.into(), fault: fault.into() });
    if folder.exists() && !folder.is_dir() {
        return refused("is not a folder; name one for the run");
    }
    let Ok(mut entries) = fs::read_dir(folder) else { return Ok(()) };
    let ours = ["run.json", "run.lock"].iter().any(|name| folder.join(name).exists());
    if ours || entries.next().is_none() {
        return Ok(());
    }
    refused("holds files that are no run: name a new folder, an empty one or a run's")
}

/// Creates a folder of the run.
pub(crate) fn create(folder: &Path) -> Result<()> {
    let remedy = "make it writable, or put the run elsewhere with --out DIR";
    fs::create_dir_all(folder).map_err(|source| Error::NotCreated { path: folder.into(), source, remedy })
}

/// Locks the folder for this process.
pub(super) fn lock(folder: &Path) -> Result<File> {
    let path = folder.join("run.lock");
    let remedy = "make its folder writable, or put the run elsewhere with --out DIR";
    let file = files::open_or_create(&path).map_err(|source| Error::NotCreated {
        path: path.clone(),
        source,
        remedy,
    })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Busy { folder: folder.into() }),
        Err(TryLockError::Error(error)) => {
            let fault = format!("can't be locked: {error}; put the run elsewhere with --out DIR");
            Err(Error::Folder { folder: path, fault })
        }
    }
}

/// Identity of the run in `folder`, if it holds one.
pub(crate) fn read_identity(folder: &Path) -> Result<Option<Identity>> {
    let path = folder.join("run.json");
    let text: Option<serde_json::Value> = read_json(&path)?;
    if let Some(schema) = text.as_ref().and_then(|text| text["protocol"]["schema"].as_u64()) {
        check_schema(&path, u32::try_from(schema).unwrap_or(u32::MAX))?;
    }
    let damaged = |source| Error::Damaged { path: path.clone(), source };
    text.map(serde_json::from_value).transpose().map_err(damaged)
}
