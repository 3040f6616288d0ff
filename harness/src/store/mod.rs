//! A run's folder: identity, records, outputs, scores. Records are appended and synced one by one, so that
//! killing the bench at any instant loses at most the round in flight.
//!
//! ```text
//! run.json         identity: campaign, systems, test sets, protocol, host
//! records.jsonl    one record a round
//! outputs/         answers by content: <sha256>.txt
//! scores.json      quality by output and test set
//! summary.csv      a row a cell, derived
//! scratch/         inputs and the launch in flight; gone when the run is finished
//! ```

mod identity;
mod record;
mod summary;

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

pub use identity::Identity;
pub use record::{Record, SCHEMA};
pub use summary::{CellSummary, summarise, write_csv};

use crate::campaign::{TestSet, hex};
use crate::exit::{Outcome, bad_input};
use crate::plan::Round;

/// An open run folder; only one process has it open.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    records_file: File,
    records: Vec<Record>,
    /// Held for its lock.
    _lock: File,
}

/// What `--out` or the default asks for.
pub enum Place<'a> {
    /// `<root>/<campaign>-<key>`, or the next free number behind it.
    Below(&'a Path),
    /// This folder and no other.
    Exactly(&'a Path),
}

impl Store {
    /// Opens the run of `identity` for writing: resumes an unfinished one of the same key (then it holds
    /// records already), never reopens one that has all of its `rounds`.
    pub fn open(place: &Place<'_>, identity: &Identity, rounds: usize) -> Outcome<Self> {
        match place {
            Place::Exactly(folder) => match Self::open_in(folder, identity)? {
                store if store.records.len() < rounds => Ok(store),
                _ => {
                    let remedy =
                        "`dyno score` and `dyno list` read it; to measure again choose another --out";
                    Err(bad_input(format!("the run in {} is finished: {remedy}", folder.display())))
                }
            },
            Place::Below(root) => {
                let base = root.join(format!("{}-{}", identity.campaign, identity.key));
                for number in 1.. {
                    let folder = numbered(&base, number);
                    let store = Self::open_in(&folder, identity)?;
                    if store.records.len() < rounds {
                        return Ok(store);
                    }
                }
                unreachable!("folders can be numbered without end")
            }
        }
    }

    fn open_in(folder: &Path, identity: &Identity) -> Outcome<Self> {
        check_vacant(folder)?;
        create(&folder.join("outputs"))?;
        create(&folder.join("scratch"))?;
        let lock = lock(folder)?;
        match read_identity(folder)? {
            None => write_json(&folder.join("run.json"), identity)?,
            Some(there) if there.key == identity.key => {}
            Some(there) => {
                let (folder, campaign, key) = (folder.display(), there.campaign, there.key);
                let remedy = "choose another --out, or go back to what was measured there";
                return Err(bad_input(format!("{folder} holds another run ({campaign}-{key}): {remedy}")));
            }
        }
        let (records_file, records) = open_records(&folder.join("records.jsonl"))?;
        Ok(Self { folder: folder.into(), records_file, records, _lock: lock })
    }

    /// Opens a finished or unfinished run in order to read it.
    pub fn read(folder: &Path) -> Outcome<(Identity, Self)> {
        let missing = || bad_input(format!("{} is no run folder: it has no run.json", folder.display()));
        let identity = read_identity(folder)?.ok_or_else(missing)?;
        let store = Self::open_in(folder, &identity)?;
        Ok((identity, store))
    }

    /// The folder's path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All records, in the order in which they were made.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Whether `round` has been measured.
    pub fn has(&self, round: &Round<'_>) -> bool {
        self.records.iter().any(|record| {
            record.system == round.system.name
                && record.test_set == round.test_set.name
                && record.track == round.track
                && record.round == round.number
        })
    }

    /// Appends a record; when this returns it is on the disk.
    pub fn append(&mut self, record: Record) -> Outcome<()> {
        let mut line = serde_json::to_vec(&record).context("a record as JSON")?;
        line.push(b'\n');
        let written = self.records_file.write_all(&line).and_then(|()| self.records_file.sync_data());
        written
            .with_context(|| format!("can't append to {}", self.folder.join("records.jsonl").display()))?;
        self.records.push(record);
        Ok(())
    }

    /// Keeps answers by their content; gives their name. No answers, no name.
    pub fn keep_output(&self, answers: &[Vec<u8>]) -> Outcome<Option<String>> {
        if answers.is_empty() {
            return Ok(None);
        }
        let mut text = answers.join(&b'\n');
        text.push(b'\n');
        let name = hex(&Sha256::digest(&text));
        let path = self.output_path(&name);
        if !path.exists() {
            write_whole(&path, &text)?;
        }
        Ok(Some(name))
    }

    /// Where the output of that name lies.
    pub fn output_path(&self, name: &str) -> PathBuf {
        self.folder.join("outputs").join(format!("{name}.txt"))
    }

    /// The source of a test set as a file, for standard input.
    pub fn input(&self, test_set: &TestSet) -> Outcome<PathBuf> {
        let path = self.scratch(&format!("{}.src", test_set.sha256));
        if !path.exists() {
            let mut text = test_set.source.join(&b'\n');
            text.push(b'\n');
            write_whole(&path, &text)?;
        }
        Ok(path)
    }

    /// A path for what needn't outlive the run.
    pub fn scratch(&self, name: &str) -> PathBuf {
        // Absolute, since systems are started in other folders.
        let path = self.folder.join("scratch").join(name);
        std::path::absolute(&path).unwrap_or(path)
    }

    /// Takes the scratch files away.
    pub fn clear_scratch(&self) {
        // What can't be removed is a few hundred kilobytes in a folder that git ignores.
        let _ = fs::remove_dir_all(self.folder.join("scratch"));
    }
}

fn numbered(base: &Path, number: usize) -> PathBuf {
    match number {
        1 => base.into(),
        _ => PathBuf::from(format!("{}-{number}", base.display())),
    }
}

/// A folder that holds something else than a run is left alone.
fn check_vacant(folder: &Path) -> Outcome<()> {
    if folder.exists() && !folder.is_dir() {
        return Err(bad_input(format!("{} is not a folder", folder.display())));
    }
    let Ok(mut entries) = fs::read_dir(folder) else { return Ok(()) };
    let ours = ["run.json", "run.lock"].iter().any(|name| folder.join(name).exists());
    if ours || entries.next().is_none() {
        return Ok(());
    }
    let remedy = "name a new or an empty folder, or a run's";
    Err(bad_input(format!("{} holds files that are no run: {remedy}", folder.display())))
}

fn create(folder: &Path) -> Outcome<()> {
    fs::create_dir_all(folder).map_err(|error| {
        let remedy = "make it writable, or put the run elsewhere with --out DIR";
        bad_input(format!("can't create {}: {error}; {remedy}", folder.display()))
    })
}

fn lock(folder: &Path) -> Outcome<File> {
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

fn read_identity(folder: &Path) -> Outcome<Option<Identity>> {
    read_json(&folder.join("run.json"))
}

/// A JSON file of a run; `None` where there is none.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Outcome<Option<T>> {
    match fs::read(path) {
        Ok(text) => {
            let read = serde_json::from_slice(&text);
            read.map(Some).map_err(|error| bad_input(format!("{} is damaged: {error}", path.display())))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(bad_input(format!("can't read {}: {error}", path.display()))),
    }
}

/// Writes a JSON file, whole or not at all.
pub fn write_json(path: &Path, value: &impl Serialize) -> Outcome<()> {
    let text = serde_json::to_vec_pretty(value).context("as JSON")?;
    write_whole(path, &text)
}

/// Writes a file aside and renames it into place, so that nobody ever sees half of it.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Outcome<()> {
    let write = || {
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut aside = tempfile::NamedTempFile::new_in(folder)?;
        aside.write_all(bytes)?;
        aside.as_file().sync_data()?;
        aside.persist(path).map(drop).map_err(|failed| failed.error)
    };
    Ok(write().with_context(|| format!("can't write {}", path.display()))?)
}

/// Opens the records for appending. A last line without an end was in flight when a bench died: it is dropped.
fn open_records(path: &Path) -> Outcome<(File, Vec<Record>)> {
    let opened = File::options().create(true).append(true).read(true).open(path);
    let file = opened.map_err(|error| bad_input(format!("can't open {}: {error}", path.display())))?;
    let bytes = fs::read(path)?;
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    file.set_len(whole as u64)?;
    let lines = bytes[..whole].split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let parse = |(i, line)| {
        let read = serde_json::from_slice::<Record>(line);
        read.map_err(|error| bad_input(format!("{}:{}: {error}", path.display(), i + 1)))
    };
    Ok((file, lines.enumerate().map(parse).collect::<Outcome<_>>()?))
}
