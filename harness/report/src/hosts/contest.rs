//! The contest of all systems on all hosts, as the page of a merged run shows it, and the sentences on it. Each
//! claims only what the intervals support.

use dyno_results::contest::{self, Contestant, HostCell, between_hosts};
use dyno_results::{CellSummary, Column, Run, Summary};
use dyno_stats::Order;
use dyno_stats::numbers::{counted, factor};

use crate::charts::{Family, shortened};
use crate::material::family_of;
use crate::sentences::Writer;

/// A host of a merged run.
#[allow(missing_docs)] // the names say it
pub struct Host<'a> {
    /// Name of the host: its instance, else its processor.
    pub name: &'a str,
    pub run: &'a Run,
    pub summary: &'a Summary,
    /// Path of the host's own report from the page, if there is one.
    pub report: Option<String>,
}

/// The contest of one test set.
pub(super) struct Contest<'a> {
    pub(super) hosts: &'a [Host<'a>],
    pub(super) test_set: &'a str,
    /// Systems, by host.
    pub(super) cells: Vec<HostCell<'a>>,
    /// Contest of the systems, by their index.
    pub(super) race: contest::Contest<'a>,
}

impl<'a> Contest<'a> {
    pub(super) fn of(hosts: &'a [Host<'a>], test_set: &'a str) -> Self {
        let judged: Vec<_> = hosts.iter().map(|host| (host.run, host.summary)).collect();
        let (cells, race) = between_hosts(&judged, test_set);
        Self { hosts, test_set, cells, race }
    }

    /// Host and cell of a contestant.
    pub(super) fn entry(&self, one: &Contestant) -> (&'a Host<'a>, &'a CellSummary) {
        let own = &self.cells[one.system];
        (&self.hosts[own.host], own.cell)
    }

    pub(super) fn family(&self, one: &Contestant) -> Family {
        let (host, cell) = self.entry(one);
        host.run.identity.system(&cell.system).map_or(Family::Program, family_of)
    }

    /// "ssru on c7a.large".
    pub(super) fn name(&self, one: &Contestant) -> String {
        self.name_of(one.system)
    }

    fn name_of(&self, system: usize) -> String {
        let own = &self.cells[system];
        format!("{} on {}", shortened(&own.cell.system, 40), self.hosts[own.host].name)
    }

    /// What to take, and what less quality buys.
    pub(super) fn verdict(&self) -> Vec<String> {
        let Some(pick) = self.race.pick() else {
            return vec![self.no_contest().into()];
        };
        let writer = Writer { contest: &self.race, name: &|system| self.name_of(system) };
        let others = [writer.bargain(pick), writer.probably(pick)];
        [writer.take(pick)].into_iter().chain(others.into_iter().flatten()).collect()
    }

    fn no_contest(&self) -> &'static str {
        let priced = self.cells.iter().any(|own| Column::Dollars.figure(own.cell).is_some());
        let scored = self.cells.iter().any(|own| own.cell.quality_by(&self.race.scale.name).is_some());
        match (priced, scored) {
            (false, _) => {
                "No host has a price: set it with dyno score RUN --price INSTANCE, then merge again."
            }
            (_, false) => "No quality was scored: add it with dyno score RUN, then merge again.",
            _ => {
                "No system may stand on the frontier: each is NOISY or INVALID, or its text is no translation."
            }
        }
    }

    /// Title of the chart of instances: the cheapest one against the next.
    pub(super) fn finding_of_instances(&self, ranked: &[&Contestant]) -> String {
        let host = |one: &Contestant| self.entry(one).0.name;
        match ranked {
            [] => "No instance has a system with quality and price".into(),
            [only] => format!("{} is the only instance with quality and price", host(only)),
            [first, second, ..] => {
                let duel = self.race.gain(second, first);
                if duel.order != Order::Better {
                    return format!(
                        "{} and {} give about the same words per dollar",
                        host(first),
                        host(second)
                    );
                }
                let (times, other) = (factor(&duel.ratio), host(second));
                format!("{} gives the most words per dollar: {times} times {other}", host(first))
            }
        }
    }

    /// Title of the chart of all systems on all instances.
    pub(super) fn finding_of_systems(&self) -> String {
        let on = self.race.frontier().count();
        let all = counted(
            self.race.contestants.len(),
            "pair of system and instance",
            "pairs of system and instance",
        );
        format!("Of {all}, {on} surely {} on the frontier", if on == 1 { "is" } else { "are" })
    }
}
