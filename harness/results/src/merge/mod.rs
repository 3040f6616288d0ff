//! Runs of one campaign on several hosts, as one result.
//!
//! A host is a kind of machine at a price. Shards of a campaign on equal hosts are joined into one run.
//! Speeds of different hosts are never mixed: each host stays a run of its own, with its own scores and its
//! own price.

mod belonging;
mod folder;
mod join;
mod merged;

use std::path::{Path, PathBuf};

use itertools::Itertools;

use crate::error::{Error, Result};
use crate::run::Run;
use crate::scores::{Metric, Scores};
use crate::summary::Summary;

pub use folder::{is_merged, read_runs};
pub use merged::{HostRun, Merged, Source, rows_by_table};

impl Merged {
    /// Joins runs by host. Refuses runs that don't belong together, by name.
    pub fn of(runs: Vec<Source>) -> Result<Self> {
        let Some((first, others)) = runs.split_first() else {
            return Err(Error::Input("no run to merge: name the folders of runs".into()));
        };
        others.iter().try_for_each(|other| belonging::check(first, other))?;
        let campaign = first.1.identity.campaign.clone();
        let (mut hosts, mut notes) = (Vec::new(), Vec::new());
        for group in by_host(runs) {
            let priced = group.iter().find(|(_, run)| run.price.is_some());
            let name = unused_name(&hosts, &priced.unwrap_or(&group[0]).1);
            let sources = group.iter().map(|(folder, _)| folder.clone()).collect();
            let (run, told) = join::join(group)?;
            notes.extend(told);
            let folder = folder::of_host(hosts.len() + 1, &name);
            hosts.push(HostRun { name, folder, run, sources });
        }
        notes.extend(hosts.iter().filter_map(HostRun::lack));
        Ok(Self { campaign, hosts, notes })
    }

    /// The run in `folder`, merged or alone. A run alone is a single host, whose folder is that of the run.
    pub fn open(folder: &Path) -> Result<Self> {
        if is_merged(folder) {
            return Self::read(folder);
        }
        let run = Run::read(folder)?;
        let (campaign, name) = (run.identity.campaign.clone(), unused_name(&[], &run));
        let host = HostRun { name, folder: PathBuf::new(), run, sources: Vec::new() };
        Ok(Self { campaign, hosts: vec![host], notes: Vec::new() })
    }

    /// The run, if it is one alone.
    pub fn alone(&self) -> Option<&Run> {
        let first = self.hosts.first().filter(|host| host.folder.as_os_str().is_empty());
        first.map(|host| &host.run)
    }

    /// Gives every host the metrics of all, in the order of the first that has them.
    pub fn share_metrics(&mut self) {
        let all = self.hosts.iter().flat_map(|host| &host.run.metrics.list);
        let all: Vec<Metric> = all.unique_by(|metric| metric.name()).cloned().collect();
        self.hosts.iter_mut().for_each(|host| host.run.metrics.list.clone_from(&all));
    }

    /// Gives every host the scales of all: a worker that failed on one may have told its scale on another.
    pub fn share_scales(&mut self) {
        let all = self.hosts.iter().flat_map(|host| &host.run.scores.metrics);
        let metrics = all.unique_by(|scale| &scale.name).cloned().collect();
        let scales = Scores { metrics, ..Scores::default() };
        self.hosts.iter_mut().for_each(|host| host.run.scores.add_missing(&scales));
    }

    /// Summary of each host, with the host's name in each row of a merged run.
    pub fn summaries(&self) -> Vec<Summary> {
        folder::in_parallel(self.hosts.iter().collect(), |host| {
            let mut summary = Summary::of(&host.run);
            let name = self.alone().is_none().then(|| host.name.clone());
            summary.cells.iter_mut().for_each(|row| row.host.clone_from(&name));
            summary
        })
    }
}

/// Runs of equal hosts together. Equal machines at different prices are different hosts. A shard without a price may
/// be of any.
fn by_host(runs: Vec<Source>) -> Vec<Vec<Source>> {
    let mut groups: Vec<Vec<Source>> = Vec::new();
    for (folder, run) in runs {
        let is_one_price =
            |(_, other): &Source| run.price.as_ref().zip(other.price.as_ref()).is_none_or(|(a, b)| a == b);
        let is_same = |group: &Vec<Source>| {
            group[0].1.identity.host.differences(&run.identity.host).is_empty()
                && group.iter().all(is_one_price)
        };
        match groups.iter_mut().find(|group| is_same(group)) {
            Some(group) => group.push((folder, run)),
            None => groups.push(vec![(folder, run)]),
        }
    }
    groups
}

/// Name of the host of `run`, which no other host has.
fn unused_name(hosts: &[HostRun], run: &Run) -> String {
    let name = run.price.as_ref().map_or(&run.identity.host.cpu, |price| &price.instance).clone();
    let is_free = |name: &String| hosts.iter().all(|host| host.name != *name);
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
}
