//! State of a run's folder: vacant, locked by another process, finished, or of another run.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use dyno_api::files;
use dyno_record::identity::Unreadable;
use dyno_record::{Identity, SCHEMA};

use super::files::{read_if_there, read_whole_lines};
use crate::error::{Error, RESTORE, Result};

/// Whether `folder` holds the whole run of `identity`. Changes nothing in the folder.
pub(super) fn is_finished(folder: &Path, identity: &Identity, rounds: usize) -> Result<bool> {
    check_vacant(folder)?;
    let Some(there) = read_identity(folder)? else { return Ok(false) };
    if there.key != identity.key {
        let (folder, Identity { campaign, key, .. }) = (folder.display(), there);
        return Err(Error::Input(format!(
            "{folder} holds another run ({campaign}-{key}); choose another --out, or run the campaign of that folder"
        )));
    }
    let records = read_whole_lines(&folder.join("records.jsonl"))?;
    Ok(records.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count() >= rounds
        && folder.join("summary.csv").exists())
}

/// Refuses a folder with files that are no run.
fn check_vacant(folder: &Path) -> Result<()> {
    let refused = |fault: &str| Err(Error::Input(format!("{} {fault}", folder.display())));
    if folder.exists() && !folder.is_dir() {
        return refused("is not a folder; name one for the run");
    }
    let Ok(mut entries) = fs::read_dir(folder) else { return Ok(()) };
    let ours = ["run.json", "run.lock"].iter().any(|name| folder.join(name).exists());
    if ours || entries.next().is_none() {
        return Ok(());
    }
    refused("holds files that are no run; name a new folder, an empty one or a run's")
}

pub(crate) fn create(folder: &Path) -> Result<()> {
    let remedy = "make it writable, or put the run elsewhere with --out DIR";
    fs::create_dir_all(folder).map_err(|source| Error::NotCreated(folder.into(), source, remedy))
}

pub(super) fn lock(folder: &Path) -> Result<File> {
    let path = folder.join("run.lock");
    let remedy = "make its folder writable, or put the run elsewhere with --out DIR";
    let file =
        files::open_or_create(&path).map_err(|source| Error::NotCreated(path.clone(), source, remedy))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Input(format!(
            "another dyno is at work in {}; wait for it, or put this run elsewhere with --out DIR",
            folder.display()
        ))),
        Err(TryLockError::Error(error)) => Err(Error::Input(format!(
            "{} can't be locked: {error}; put the run elsewhere with --out DIR",
            path.display()
        ))),
    }
}

/// Identity of the run in `folder`, if it holds one.
pub(crate) fn read_identity(folder: &Path) -> Result<Option<Identity>> {
    let path = folder.join("run.json");
    let text = read_if_there(&path)?;
    let identity = text.map(|text| Identity::parse(&text)).transpose();
    identity.map_err(|fault| match fault {
        Unreadable::Newer(schema) => Error::newer(&path, schema, SCHEMA),
        // Such a run can neither be completed nor compared.
        Unreadable::Key(fault) => Error::Input(format!("{}; {RESTORE}", fault.at(path.display()))),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::run::Run;

    /// Fault of a run whose `run.json` was changed; none if it can be read.
    fn fault_of(change: impl Fn(&mut Value)) -> Option<Error> {
        let published = "../../results/papers/2026-11-25-amd-epyc-zen-5-2c/records/opennmt-isa/run.json";
        let text = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(published)).unwrap();
        let mut identity: Value = serde_json::from_slice(&text).unwrap();
        identity["test_sets"] = json!([]);
        change(&mut identity);
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("run.json"), identity.to_string()).unwrap();
        Run::read(folder.path()).err()
    }

    #[test]
    fn a_run_whose_protocol_cannot_be_read_is_not_complete_but_an_error() {
        assert!(fault_of(|_| ()).is_none());
        for (key, value) in
            [("profile", json!("thorough")), ("tracks", json!("latency")), ("shard", json!("3/2"))]
        {
            let fault = fault_of(|identity| identity["protocol"][key] = value.clone()).expect("an error");
            let text = fault.to_string();
            assert!(text.contains(&format!("run.json, protocol.{key}: ")), "{text}");
            assert!(text.contains("; "), "a remedy: {text}");
        }
        let newer = fault_of(|identity| identity["protocol"]["schema"] = json!(SCHEMA + 1));
        assert!(newer.unwrap().to_string().contains("was written by a newer dyno"));
    }
}
