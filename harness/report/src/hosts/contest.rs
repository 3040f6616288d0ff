//! All systems on all hosts, on one test set, as one contest in quality and words per dollar.

use dyno_measure::{Track, Verdict};
use dyno_results::scores::Scale;
use dyno_results::summary::Duel;
use dyno_results::{CellSummary, Column, Run, Summary};
use dyno_stats::{Order, Standing, standings};

use crate::charts::Family;
use crate::cost::{self, Compared, Contestant, Cost, paid_of};
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
    pub(super) race: cost::Contest<'a>,
}

impl<'a> Contest<'a> {
    pub(super) fn of(hosts: &'a [Host<'a>], test_set: &'a str) -> Self {
        let first = hosts.first().map(|host| host.run.first_scale(test_set));
        let scale = first.unwrap_or_else(|| Scale::unknown(""));
        let cells = hosts.iter().flat_map(|host| &host.summary.cells);
        let paid = paid_of(cells.filter(|cell| cell.test_set == test_set).map(|cell| cell.track));
        let entries: Vec<_> = hosts.iter().flat_map(|host| entries(host, test_set, paid)).collect();
        let race = race(hosts, test_set, &entries, scale);
        Self { hosts, test_set, entries, race }
    }

    pub(super) fn entry(&self, one: &Contestant) -> &Entry<'a> {
        &self.entries[one.system]
    }

    /// System of least cost on `host` among those as good as the best of all hosts.
    pub(super) fn pick_on(&self, host: &Host<'_>) -> Option<&Contestant> {
        self.race.pick_of(|one| std::ptr::eq(self.entry(one).host, host))
    }
}

fn entries<'a>(host: &'a Host<'a>, test_set: &str, paid: Track) -> Vec<Entry<'a>> {
    let cells = host.summary.cells.iter().filter(|cell| cell.test_set == test_set);
    let valid = cells.clone().filter(|cell| cell.track == Track::Latency && cell.verdict != Verdict::Invalid);
    let latency = |system: &str| valid.clone().find(|cell| cell.system == system);
    let entry = |cell: &'a CellSummary| {
        let described = host.run.identity.system(&cell.system);
        let family = described.map_or(Family::Program, family_of);
        Entry { host, cell, latency: latency(&cell.system), family }
    };
    cells.filter(|cell| cell.track == paid).map(entry).collect()
}

/// The contest of `entries`. NOISY and INVALID cells, echoes, twins and texts without quality stand on no
/// frontier: each host's own judgement says so.
fn race<'a>(hosts: &'a [Host<'a>], test_set: &str, entries: &[Entry<'a>], scale: Scale) -> cost::Contest<'a> {
    let both = entries.iter().enumerate().filter_map(|(system, entry)| {
        let (quality, cost) = (entry.cell.quality_by(&scale.name)?, Column::Dollars.figure(entry.cell)?);
        let standing = Standing::Off; // until all are known
        Some((entry.cell.standing.is_some(), Contestant { system, quality, cost, standing }))
    });
    let both = both.collect();
    let order = quality_order(hosts, test_set, entries, &scale);
    let gain = |a: &Contestant, b: &Contestant| Duel::apart(&b.cost, &a.cost);
    let mut race = cost::Contest::between(Cost::Dollars, scale, both, order, Box::new(gain));
    let all = &race.contestants;
    let quality = |a: usize, b: usize| race.quality_order(&all[a], &all[b]);
    let standings = standings(all.len(), quality, |a, b| all[a].cost.order(&all[b].cost));
    for (one, standing) in race.contestants.iter_mut().zip(standings) {
        one.standing = standing;
    }
    race
}

/// Order of two entries in quality: equal texts are equal, else the paired bootstrap of a host that has both,
/// else the intervals.
fn quality_order<'a>(
    hosts: &'a [Host<'a>],
    test_set: &str,
    entries: &[Entry<'a>],
    scale: &Scale,
) -> Compared<'a, Order> {
    let texts: Vec<Option<&'a str>> = entries.iter().map(|entry| entry.cell.output.as_deref()).collect();
    let (scale, test_set) = (scale.clone(), test_set.to_owned());
    Box::new(move |a, b| {
        let known = texts[a.system].zip(texts[b.system]).and_then(|(x, y)| {
            let compared = |host: &Host<'_>| host.run.scores.difference(&scale.name, x, y, &test_set);
            let order = || hosts.iter().rev().find_map(compared).map(|difference| scale.order(&difference));
            if x == y { Some(Order::Equal) } else { order() }
        });
        known.unwrap_or_else(|| scale.order_of(&a.quality, &b.quality))
    })
}
