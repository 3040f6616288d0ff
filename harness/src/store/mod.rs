//! A run's folder: identity, records, outputs, scores. Records are appended and synced one by one, so that
//! killing the bench at any instant loses at most the round in flight.
//!
//! ```text
//! run.json         identity: campaign, systems, test sets, protocol, host
//! testsets/        source and references: <sha256 of both>.source.txt, <…>.reference-1.txt
//! records.jsonl    one record a round
//! outputs/         answers by content: <sha256>.txt
//! breakdowns.json  where the time of a cell went, as its system says
//! scores.json      quality by output and test set
//! command.txt      the command that began it
//! price.json       what the host costs, or one like it
//! summary.csv      a row a cell, derived
//! histograms/      latencies of a cell, all rounds, as HdrHistogram's text; derived
//! verified.json    what the probes found before the first round, so that a resumed run needn't ask again
//! tuning/          which way through each product was fastest here
//! scratch/         the launch in flight; gone when the run is finished
//! run.lock         locked by the process that measures or scores
//! ```
//!
//! [`Store`] writes, and holds the folder's lock; [`Run`] reads, also what is read-only. A run folder is whole: it
//! is scored, compared and reported without the campaign that it came from.

mod cell;
mod export;
mod files;
mod folder;
mod histogram;
mod identity;
mod journal;
mod record;
mod run;
mod standing;
mod summary;
mod testsets;

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use sha2::{Digest, Sha256};

pub use cell::{CellBreakdown, CellSummary};
pub use export::{unlike_a_formula, write_csv, write_histograms};
use files::MAKE_ROOM;
pub use files::{read_json, write_json, write_whole};
use folder::{create, is_finished, lock, numbered, read_identity};
pub use identity::{Identity, collect_files, file_hash};
use journal::open_records;
pub use record::{Record, SCHEMA};
pub use run::{COMMAND, MeasuredCell, Run};
pub use standing::{Duel, P95, Rounds, SPEED, noise_floor};
pub use summary::{Summary, steady, summarise};

use crate::campaign::{TestSet, hex};
use crate::exit::{Outcome, bad_input};
use crate::plan::Round;

const BREAKDOWNS: &str = "breakdowns.json";

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
    /// records already), never reopens a finished one, which has all of its `rounds` and their summary.
    pub fn open(
        place: &Place<'_>,
        identity: &Identity,
        rounds: usize,
        test_sets: &[TestSet],
    ) -> Outcome<Self> {
        let store = Self::open_at(place, identity, rounds)?;
        test_sets.iter().try_for_each(|set| testsets::keep(&store.folder, set))?;
        Ok(store)
    }

    /// The last finished run of `identity` below `root`, if there is one.
    pub fn finished(root: &Path, identity: &Identity, rounds: usize) -> Outcome<Option<PathBuf>> {
        let base = root.join(format!("{}-{}", identity.campaign, identity.key));
        let mut last = None;
        for number in 1.. {
            let folder = numbered(&base, number);
            if !is_finished(&folder, identity, rounds)? {
                break;
            }
            last = Some(folder);
        }
        Ok(last)
    }

    fn open_at(place: &Place<'_>, identity: &Identity, rounds: usize) -> Outcome<Self> {
        match place {
            Place::Exactly(folder) if is_finished(folder, identity, rounds)? => {
                let remedy = "`dyno score` prints its tables; to measure again choose another --out";
                Err(bad_input(format!("the run in {} is finished: {remedy}", folder.display())))
            }
            Place::Exactly(folder) => Self::open_in(folder, identity),
            Place::Below(root) => {
                let base = root.join(format!("{}-{}", identity.campaign, identity.key));
                for number in 1.. {
                    let folder = numbered(&base, number);
                    if !is_finished(&folder, identity, rounds)? {
                        return Self::open_in(&folder, identity);
                    }
                }
                unreachable!("folders can be numbered without end")
            }
        }
    }

    fn open_in(folder: &Path, identity: &Identity) -> Outcome<Self> {
        create(&folder.join("outputs"))?;
        create(&folder.join("scratch"))?;
        let lock = lock(folder)?;
        if read_identity(folder)?.is_none() {
            write_json(&folder.join("run.json"), identity)?;
        }
        let (records_file, records) = open_records(&folder.join("records.jsonl"))?;
        Ok(Self { folder: folder.into(), records_file, records, _lock: lock })
    }

    /// Opens a run, finished or not, in order to score it again.
    pub fn reopen(folder: &Path) -> Outcome<Self> {
        let identity = run::identity(folder)?;
        Self::open_in(folder, &identity)
    }

    /// Makes sure that a system's failure was not the bench's lack of space: a block goes to the disk and back.
    pub fn check_writable(&self) -> Outcome<()> {
        let path = self.scratch("probe");
        let written = File::create(&path).and_then(|mut file| {
            file.write_all(&[0; 64 * 1024])?;
            file.sync_data()
        });
        let _ = fs::remove_file(&path);
        Ok(written.with_context(|| format!("can't write to {}; {MAKE_ROOM}", self.folder.display()))?)
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
        let path = self.folder.join("records.jsonl");
        written.with_context(|| format!("can't append to {}; {MAKE_ROOM}", path.display()))?;
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

    /// Where the time of cells went, as far as it was asked.
    pub fn breakdowns(&self) -> Outcome<Vec<CellBreakdown>> {
        Ok(read_json(&self.folder.join(BREAKDOWNS))?.unwrap_or_default())
    }

    /// Keeps where the time of cells went.
    pub fn keep_breakdowns(&self, breakdowns: &[CellBreakdown]) -> Outcome<()> {
        write_json(&self.folder.join(BREAKDOWNS), &breakdowns)
    }

    /// Where the output of that name lies.
    pub fn output_path(&self, name: &str) -> PathBuf {
        self.folder.join("outputs").join(format!("{name}.txt"))
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
