//! Runs of one campaign as data: by source before they are joined, by host afterwards.

use std::path::PathBuf;

use crate::run::Run;
use crate::summary::Summary;
use crate::summary::cell::CellSummary;
use itertools::Itertools;

/// Runs of one campaign, joined by host.
#[derive(Debug)]
pub struct Merged {
    /// Name of the campaign.
    pub campaign: String,
    /// Hosts, in the order of their first runs.
    pub hosts: Vec<HostRun>,
    /// Remarks on the merge, such as rounds that a second shard measured again.
    pub notes: Vec<String>,
}

/// The run of one host.
#[derive(Debug)]
pub struct HostRun {
    /// Name of the host: its instance, else its processor.
    pub name: String,
    /// Folder of the joined run, from the folder of the merged run.
    pub folder: PathBuf,
    /// Joined run.
    pub run: Run,
    /// Folders of the runs that were joined.
    pub sources: Vec<PathBuf>,
}

/// A run and its folder.
pub type Source = (PathBuf, Run);

/// Rows of all hosts by test set, track and host: the hosts of a table below each other.
pub fn rows_by_table(summaries: &[Summary]) -> Vec<CellSummary> {
    let mut rows: Vec<CellSummary> = summaries.iter().flat_map(|summary| summary.cells.clone()).collect();
    let sets: Vec<String> = rows.iter().map(|row| row.test_set.clone()).unique().collect();
    rows.sort_by_key(|row| (sets.iter().position(|set| *set == row.test_set), row.track));
    rows
}

impl HostRun {
    pub(super) fn lack(&self) -> Option<String> {
        let missing = self.run.missing_rounds();
        (missing > 0).then(|| format!("{} lacks {missing} rounds: merge the other shards too", self.name))
    }
}
