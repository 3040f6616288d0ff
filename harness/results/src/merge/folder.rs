//! The folder of a merged run, whose files `docs/FORMAT.md` lists.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use serde::{Deserialize, Serialize};

use super::merged::{HostRun, Merged, Source, rows_by_table};
use crate::error::{Error, Result};
use crate::export::csv_of;
use crate::run::Run;
use crate::store::files::{read_json, write_json, write_whole};
use crate::store::whole::write_run;
use crate::summary::Summary;

const MERGED: &str = "merged.json";

#[derive(Serialize, Deserialize)]
struct Index {
    schema: u32,
    campaign: String,
    hosts: Vec<IndexedHost>,
    notes: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct IndexedHost {
    name: String,
    /// Folder of the host's run, from the folder of the merged run.
    folder: PathBuf,
    /// Folders of the runs that were joined, as they were named.
    runs: Vec<PathBuf>,
}

/// Version of `merged.json`.
const SCHEMA: u32 = 1;

/// Whether `folder` holds a merged run.
pub fn is_merged(folder: &Path) -> bool {
    folder.join(MERGED).is_file()
}

/// Reads the runs in `folders`.
pub fn read_runs(folders: &[PathBuf]) -> Result<Vec<Source>> {
    let read = |folder: &PathBuf| Ok((folder.clone(), Run::read(folder)?));
    in_parallel(folders.iter().collect(), read).into_iter().collect()
}

impl Merged {
    /// Reads the merged run in `folder`.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(MERGED);
        let again = |error| match error {
            Error::Damaged(path, fault) => {
                Error::Input(format!("{}; merge its runs again", fault.at(path.display())))
            }
            other => other,
        };
        let index: Index = read_json(&path).map_err(again)?.ok_or_else(|| Error::not_a_run(folder))?;
        if index.schema > SCHEMA {
            return Err(Error::newer(&path, index.schema, SCHEMA));
        }
        let read = |host: &IndexedHost| {
            let run = Run::read(&folder.join(&host.folder))?;
            Ok(HostRun {
                name: host.name.clone(),
                folder: host.folder.clone(),
                run,
                sources: host.runs.clone(),
            })
        };
        let hosts = in_parallel(index.hosts.iter().collect(), read).into_iter().collect::<Result<_>>()?;
        Ok(Self { campaign: index.campaign, hosts, notes: index.notes })
    }

    /// Writes the merged run into a new folder. It is made aside and renamed, so that no half of one is ever
    /// there.
    pub fn write(&self, folder: &Path, summaries: &[Summary]) -> Result<()> {
        let parent = folder.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let remedy = "choose another folder with --out DIR";
        let not_created = |source| Error::NotCreated(folder.into(), source, remedy);
        if folder.exists() {
            return Err(Error::Input(format!("{} exists already; {remedy}", folder.display())));
        }
        fs::create_dir_all(parent).map_err(not_created)?;
        let aside = tempfile::Builder::new().prefix(".merging-").tempdir_in(parent).map_err(not_created)?;
        let place = aside.path().join("run");
        let written = in_parallel(self.hosts.iter().collect(), |host| {
            write_run(&place.join(&host.folder), &host.run, &host.sources)
        });
        written.into_iter().collect::<Result<Vec<()>>>()?;
        let hosts = self.hosts.iter().map(|host| IndexedHost {
            name: host.name.clone(),
            folder: host.folder.clone(),
            runs: host.sources.clone(),
        });
        let (campaign, notes) = (self.campaign.clone(), self.notes.clone());
        write_json(&place.join(MERGED), &Index { schema: SCHEMA, campaign, hosts: hosts.collect(), notes })?;
        write_whole(&place.join("summary.csv"), csv_of(&rows_by_table(summaries)).as_bytes())?;
        fs::rename(&place, folder).map_err(not_created)
    }
}

/// Folder of the host with that number and name. The number keeps two names apart whose letters are alike.
pub(super) fn of_host(number: usize, name: &str) -> PathBuf {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = name.chars().map(safe).take(60).collect();
    Path::new("hosts").join(format!("{number}-{name}"))
}

/// Results of `work` on each item, in their order. Runs are independent of each other, so all cores share
/// them.
pub(super) fn in_parallel<T: Sync, R: Send>(items: Vec<&T>, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len()).max(1);
    let share = items.len().div_ceil(threads).max(1);
    let work = &work;
    thread::scope(|scope| {
        let workers: Vec<_> = items
            .chunks(share)
            .map(|chunk| scope.spawn(move || chunk.iter().map(|item| work(item)).collect::<Vec<R>>()))
            .collect();
        // A panic in a thread is one here.
        workers.into_iter().flat_map(|worker| worker.join().expect("no thread panics")).collect()
    })
}
