//! All systems on all hosts, on one test set: their quality, their words per dollar, and the frontier of
//! both.

use std::collections::HashMap;

use dyno_measure::{Track, Verdict};
use dyno_results::CellSummary;
use dyno_results::scores::Scale;
use dyno_results::summary::judge::Duel;
use dyno_stats::{Estimate, Order, Standing, standings};

use super::host::Host;
use crate::charts::Family;
use crate::read::family_of;

/// A system on a host.
pub(super) struct Entry<'a> {
    /// Index of the host.
    pub(super) host: usize,
    /// Cell that money is counted by.
    pub(super) cell: &'a CellSummary,
    /// Family of the system's engine.
    pub(super) family: Family,
    /// 95th percentile of latency in ms, from the latency track.
    pub(super) p95_ms: Option<f64>,
    /// Quality by the first metric.
    pub(super) quality: Option<Estimate>,
    /// Million words for a US dollar.
    pub(super) millions: Option<Estimate>,
    /// Standing among all systems on all hosts; absent for a cell that may not stand on a frontier.
    pub(super) standing: Option<Standing>,
}

/// The contest of one test set.
pub(super) struct Contest<'a> {
    pub(super) hosts: &'a [Host<'a>],
    pub(super) test_set: &'a str,
    pub(super) scale: Scale,
    /// Systems, by host.
    pub(super) entries: Vec<Entry<'a>>,
    /// Comparisons of texts that some host made, by the hashes of the texts.
    pairs: HashMap<(&'a str, &'a str), Order>,
}

impl<'a> Contest<'a> {
    pub(super) fn of(hosts: &'a [Host<'a>], test_set: &'a str) -> Self {
        let first = hosts.first().map(|host| host.run.first_scale(test_set));
        let scale = first.unwrap_or_else(|| Scale::unknown(""));
        let paid = paid_track(hosts, test_set);
        let entries = hosts
            .iter()
            .enumerate()
            .flat_map(|(i, host)| entries(i, host, (test_set, paid), &scale))
            .collect();
        let pairs = hosts.iter().flat_map(|host| orders(host, test_set, &scale)).collect();
        let mut contest = Self { hosts, test_set, scale, entries, pairs };
        contest.place();
        contest
    }

    /// Fills in the standings. NOISY and INVALID cells, echoes, twins and texts without quality stand on no
    /// frontier: each host's own judgement says so.
    fn place(&mut self) {
        let fit = |entry: &Entry<'_>| {
            entry.cell.standing.is_some() && entry.quality.is_some() && entry.millions.is_some()
        };
        let racing: Vec<usize> = (0..self.entries.len()).filter(|&i| fit(&self.entries[i])).collect();
        let quality =
            |a: usize, b: usize| self.quality_order(&self.entries[racing[a]], &self.entries[racing[b]]);
        let cost = |a: usize, b: usize| order(&self.entries[racing[a]], &self.entries[racing[b]]);
        let standings = standings(racing.len(), quality, cost);
        for (i, standing) in racing.into_iter().zip(standings) {
            self.entries[i].standing = Some(standing);
        }
    }

    /// Order of two entries in quality: equal texts are equal, else the paired bootstrap of a host that has
    /// both, else the intervals.
    pub(super) fn quality_order(&self, a: &Entry<'_>, b: &Entry<'_>) -> Order {
        if let (Some(x), Some(y)) = (a.cell.output.as_deref(), b.cell.output.as_deref()) {
            match self.pairs.get(&(x, y)) {
                _ if x == y => return Order::Equal,
                Some(order) => return *order,
                None => {}
            }
        }
        match (a.quality, b.quality) {
            (Some(a), Some(b)) => self.scale.order_of(&a, &b),
            _ => Order::Unclear,
        }
    }

    /// Whether `a` is as good as `b`, or not told apart from it.
    pub(super) fn as_good(&self, a: &Entry<'_>, b: &Entry<'_>) -> bool {
        matches!(self.quality_order(a, b), Order::Equal | Order::Unclear | Order::Better)
    }

    /// Entries that may stand on the frontier.
    pub(super) fn contestants(&self) -> impl Iterator<Item = &Entry<'a>> {
        self.entries.iter().filter(|entry| entry.standing.is_some())
    }

    /// Entry of the best quality.
    pub(super) fn best(&self) -> Option<&Entry<'a>> {
        let gain = |entry: &Entry<'_>| entry.quality.map_or(f64::NEG_INFINITY, |q| self.scale.gain(q.value));
        self.contestants().max_by(|a, b| gain(a).total_cmp(&gain(b)))
    }

    /// Entry of least cost among those as good as the best, on `host` or on any.
    pub(super) fn pick(&self, host: Option<usize>) -> Option<&Entry<'a>> {
        let best = self.best()?;
        let fits =
            |entry: &&Entry<'a>| host.is_none_or(|host| entry.host == host) && self.as_good(entry, best);
        self.contestants().filter(fits).max_by(|a, b| value(a).total_cmp(&value(b)))
    }
}

/// Words per dollar of an entry, 0 without a price.
pub(super) fn value(entry: &Entry<'_>) -> f64 {
    entry.millions.map_or(0.0, |millions| millions.value)
}

/// Order of two entries in words per dollar, by their intervals.
pub(super) fn order(a: &Entry<'_>, b: &Entry<'_>) -> Order {
    a.millions.zip(b.millions).map_or(Order::Unclear, |(a, b)| a.order(&b))
}

/// Gain in words per dollar of `b` over `a`.
pub(super) fn gain(a: &Entry<'_>, b: &Entry<'_>) -> Option<Duel> {
    let (from, to) = (a.millions?, b.millions?);
    Some(Duel { ratio: to.over(&from), order: to.order(&from) })
}

/// The one track by which words per dollar are counted on a test set: all cores where any host measured them.
fn paid_track(hosts: &[Host<'_>], test_set: &str) -> Track {
    let mut cells = hosts.iter().flat_map(|host| &host.summary.cells);
    match cells.any(|cell| cell.test_set == test_set && cell.track == Track::ThroughputAll) {
        true => Track::ThroughputAll,
        false => Track::Throughput1,
    }
}

fn entries<'a>(
    place: usize,
    host: &'a Host<'a>,
    (test_set, paid): (&str, Track),
    scale: &Scale,
) -> Vec<Entry<'a>> {
    let cells = host.summary.cells.iter().filter(|cell| cell.test_set == test_set);
    let p95: HashMap<&str, f64> = cells
        .clone()
        .filter(|cell| cell.track == Track::Latency && cell.verdict != Verdict::Invalid)
        .filter_map(|cell| Some((cell.system.as_str(), cell.p95_ms?)))
        .collect();
    let entry = |cell: &'a CellSummary| {
        let first = cell.quality.iter().find(|quality| quality.metric == scale.name);
        let quality = first.and_then(|q| Some(Estimate::give_or_take(q.score?, q.confidence.unwrap_or(0.0))));
        let described = host.run.identity.system(&cell.system);
        Entry {
            host: place,
            cell,
            family: described.map_or(Family::Program, family_of),
            p95_ms: p95.get(cell.system.as_str()).copied(),
            quality,
            millions: millions(cell),
            standing: None,
        }
    };
    cells.filter(|cell| cell.track == paid).map(entry).collect()
}

/// Million words per dollar: the speed in another unit, with its interval.
fn millions(cell: &CellSummary) -> Option<Estimate> {
    let (low, high) = (cell.words_per_second_low?, cell.words_per_second_high?);
    let speed = Estimate { value: cell.words_per_second?, low, high };
    Some(speed.times(cell.words_per_dollar? / speed.value / 1e6))
}

/// Orders of the texts that a host compared, both ways.
fn orders<'a>(host: &'a Host<'a>, test_set: &str, scale: &Scale) -> Vec<((&'a str, &'a str), Order)> {
    let own = host.run.scores.pairs.iter().filter(|pair| pair.test_set == test_set);
    let both = own.filter_map(|pair| {
        let difference = pair.metrics.get(&scale.name)?;
        let (a, b) = (pair.a.as_str(), pair.b.as_str());
        Some([((a, b), scale.order(difference)), ((b, a), scale.order(&difference.reversed()))])
    });
    both.flatten().collect()
}
