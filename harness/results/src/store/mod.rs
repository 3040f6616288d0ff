//! Folder of a run: identity, records, outputs, scores. Records are appended and synced one by one, so a
//! killed bench loses at most the round in progress.
//!
//! `docs/FORMAT.md` lists the files. [`Store`] writes the folder and holds its lock. A fresh run reads nothing back:
//! its state is the [`Run`] in memory. The folder is read to resume a run, and by commands that start from a folder. It
//! is complete: a run is scored, compared and reported without its campaign.

pub mod files;
pub(crate) mod folder;
pub(crate) mod journal;
mod latest;
pub(crate) mod texts;
pub(crate) mod whole;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use dyno_measure::files::Stamp;
use dyno_measure::{Examined, Measured, TestSet, as_text};
use dyno_record::Identity;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::export::write_summary;
use crate::prices::Price;
use crate::run::{BREAKDOWNS, COMMAND, CellBreakdown, METRICS, PRICE, Run, SCORES, identity_in};
use crate::scores::{Metrics, Scores};
use crate::summary::Summary;
pub use latest::{best_of, latest, newest};

use files::{read_json, write_json, write_whole};
use folder::{create, is_finished, lock};
use journal::{RECORDS, open_records, stamp};

const VERIFIED: &str = "verified.json";

/// Findings of the probes, by the name of the system.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Verified {
    /// Findings from before the first round.
    pub before_rounds: BTreeMap<String, Vec<Examined>>,
    /// Findings of the probes that are asked again before the last round.
    pub before_last_round: BTreeMap<String, Vec<Examined>>,
}

impl Verified {
    /// Findings of the run in `folder`; none if no probe was asked.
    pub fn read(folder: &Path) -> Result<Self> {
        Ok(read_json(&folder.join(VERIFIED))?.unwrap_or_default())
    }
}

/// The open folder of a run; only one process can open it.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    records_file: File,
    /// State of the records after this process has written them last.
    records_stamp: Stamp,
    /// Open file that holds the lock.
    _lock: File,
}

/// Place of a run, as `--out` or the default asks for it.
pub enum Place<'a> {
    /// Folder `<root>/<campaign>-<key>`, or the same with the next free number.
    Below(&'a Path),
    /// This folder.
    Exactly(&'a Path),
}

impl Store {
    /// Opens the run of `identity` for writing. An unfinished run of the same key is resumed, and [`Run`]
    /// holds its records. A finished run, with all of its `rounds` and their summary, is never reopened.
    pub fn open(
        place: &Place<'_>,
        identity: Identity,
        rounds: usize,
        test_sets: &[TestSet],
    ) -> Result<(Self, Run)> {
        let folder = Self::free_folder(place, &identity, rounds)?;
        let lock = Self::lock_in(&folder)?;
        let is_resumed = folder.join("run.json").exists();
        test_sets.iter().try_for_each(|set| texts::keep(&folder, set))?;
        // Reading comes before opening for appending, so that an unreadable run stays as it is.
        let run = if is_resumed { Run::read(&folder)? } else { Run::new(identity, test_sets.to_vec()) };
        let store = Self::append_in(&folder, lock)?;
        if !is_resumed {
            // The identity comes last: a folder with an identity has its test sets.
            write_json(&folder.join("run.json"), &run.identity)?;
        }
        Ok((store, run))
    }

    /// Opens the run in `folder`, finished or unfinished, to score it again.
    pub fn reopen(folder: &Path) -> Result<(Self, Run)> {
        identity_in(folder)?;
        let lock = Self::lock_in(folder)?;
        let run = Run::read(folder)?;
        Ok((Self::append_in(folder, lock)?, run))
    }

    /// The last finished run of `identity` below `root`, if there is one.
    pub fn finished(root: &Path, identity: &Identity, rounds: usize) -> Result<Option<PathBuf>> {
        Ok(Self::numbered(root, identity, rounds)?.0)
    }

    /// Folders of `identity` below `root`: the last finished one, if there is one, and the next.
    fn numbered(root: &Path, identity: &Identity, rounds: usize) -> Result<(Option<PathBuf>, PathBuf)> {
        let base = root.join(format!("{}-{}", identity.campaign, identity.key));
        let (mut last, mut next) = (None, base.clone());
        for number in 2.. {
            if !is_finished(&next, identity, rounds)? {
                break;
            }
            last = Some(std::mem::replace(&mut next, PathBuf::from(format!("{}-{number}", base.display()))));
        }
        Ok((last, next))
    }

    fn free_folder(place: &Place<'_>, identity: &Identity, rounds: usize) -> Result<PathBuf> {
        match place {
            Place::Exactly(folder) if is_finished(folder, identity, rounds)? => Err(Error::Input(format!(
                "the run in {} is finished; print its tables by `dyno score`, or choose another --out to measure \
                 again",
                folder.display()
            ))),
            Place::Exactly(folder) => Ok((*folder).into()),
            Place::Below(root) => Ok(Self::numbered(root, identity, rounds)?.1),
        }
    }

    fn lock_in(folder: &Path) -> Result<File> {
        create(&folder.join("outputs"))?;
        lock(folder)
    }

    fn append_in(folder: &Path, lock: File) -> Result<Self> {
        let records_file = open_records(&folder.join(RECORDS))?;
        let records_stamp = stamp(&folder.join(RECORDS))?;
        Ok(Self { folder: folder.into(), records_file, records_stamp, _lock: lock })
    }

    /// Path of the run's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps the rounds of a group: their answers, then their records. All are on the disk when this returns.
    pub fn keep(&mut self, group: &[Measured]) -> Result<()> {
        let mut lines = Vec::new();
        for measured in group {
            self.keep_answers(measured)?;
            serde_json::to_writer(&mut lines, &measured.record).map_err(Error::encoding("a record"))?;
            lines.push(b'\n');
        }
        self.check_records()?;
        let written = self.records_file.write_all(&lines).and_then(|()| self.records_file.sync_data());
        let path = self.folder.join(RECORDS);
        written.map_err(|source| Error::Unwritable(path.clone(), source))?;
        self.records_stamp = stamp(&path)?;
        Ok(())
    }

    /// Checks that no other process has changed the records. A system outside of a sandbox has the right to.
    fn check_records(&self) -> Result<()> {
        let path = self.folder.join(RECORDS);
        match stamp(&path)? == self.records_stamp {
            true => Ok(()),
            false => Err(Error::Input(format!(
                "{} was changed while the run went on; measure into a new folder, with `sandbox = \"bwrap\"` for \
                 systems that you don't trust",
                path.display()
            ))),
        }
    }

    fn keep_answers(&self, measured: &Measured) -> Result<()> {
        let Some(name) = &measured.record.output else { return Ok(()) };
        let path = texts::output_path(&self.folder, name);
        if path.exists() { Ok(()) } else { write_whole(&path, &as_text(&measured.answers)) }
    }

    /// Lines of the answers with that hash.
    pub fn answers(&self, output: &str) -> Result<Vec<Vec<u8>>> {
        let text = texts::read_output(&self.folder, output)?;
        Ok(dyno_measure::split_lines(&text).map(<[u8]>::to_vec).collect())
    }

    /// Keeps the findings of the probes.
    pub fn keep_verified(&self, verified: &Verified) -> Result<()> {
        write_json(&self.folder.join(VERIFIED), verified)
    }

    /// Keeps the command that began the run.
    pub fn keep_command(&self, command: &str) -> Result<()> {
        write_whole(&self.folder.join(COMMAND), format!("{command}\n").as_bytes())
    }

    /// Keeps the price of the run.
    pub fn keep_price(&self, price: &Price) -> Result<()> {
        write_json(&self.folder.join(PRICE), price)
    }

    /// Keeps the breakdowns of the cells' time.
    pub fn keep_breakdowns(&self, breakdowns: &[CellBreakdown]) -> Result<()> {
        write_json(&self.folder.join(BREAKDOWNS), &breakdowns)
    }

    /// Keeps the list of metrics.
    pub fn keep_metrics(&self, metrics: &Metrics) -> Result<()> {
        write_json(&self.folder.join(METRICS), metrics)
    }

    /// Keeps the quality of the outputs.
    pub fn keep_scores(&self, scores: &Scores) -> Result<()> {
        write_json(&self.folder.join(SCORES), scores)
    }

    /// Keeps the summary as a spreadsheet, and latencies as percentile distributions.
    pub fn keep_summary(&self, run: &Run, summary: &Summary) -> Result<()> {
        self.check_records()?;
        write_summary(&self.folder, run, summary)
    }
}
