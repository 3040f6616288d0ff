//! The contest of all systems on all hosts, as the page of a merged run shows it.

use dyno_results::contest::{self, Contestant, between_hosts};
use dyno_results::{CellSummary, Run, Summary};

use crate::charts::Family;
use crate::material::family_of;

/// A host of a merged run.
pub struct Host<'a> {
    /// Name of the host: its instance, else its processor.
    pub name: &'a str,
    /// Run of the host.
    pub run: &'a Run,
    /// Judged rows of that run.
    pub summary: &'a Summary,
    /// Path of the host's own report from the page, if there is one.
    pub report: Option<String>,
}

/// A system on a host.
pub(super) struct Entry<'a> {
    pub(super) host: &'a Host<'a>,
    /// Cell that money is counted by.
    pub(super) cell: &'a CellSummary,
    /// Cell of the latency track, unless it is INVALID.
    pub(super) latency: Option<&'a CellSummary>,
    pub(super) family: Family,
}

/// The contest of one test set.
pub(super) struct Contest<'a> {
    pub(super) hosts: &'a [Host<'a>],
    pub(super) test_set: &'a str,
    /// Systems, by host.
    pub(super) entries: Vec<Entry<'a>>,
    /// Contest of the entries, by their index.
    pub(super) race: contest::Contest<'a>,
}

impl<'a> Contest<'a> {
    pub(super) fn of(hosts: &'a [Host<'a>], test_set: &'a str) -> Self {
        let judged: Vec<_> = hosts.iter().map(|host| (host.run, host.summary)).collect();
        let (cells, race) = between_hosts(&judged, test_set);
        let entry = |own: contest::HostCell<'a>| {
            let host = &hosts[own.host];
            let described = host.run.identity.system(&own.cell.system);
            let family = described.map_or(Family::Program, family_of);
            Entry { host, cell: own.cell, latency: own.latency, family }
        };
        Self { hosts, test_set, entries: cells.into_iter().map(entry).collect(), race }
    }

    pub(super) fn entry(&self, one: &Contestant) -> &Entry<'a> {
        &self.entries[one.system]
    }

    /// System of least cost on `host` among those as good as the best of all hosts.
    pub(super) fn pick_on(&self, host: &Host<'_>) -> Option<&Contestant> {
        self.race.pick_of(|one| std::ptr::eq(self.entry(one).host, host))
    }
}
