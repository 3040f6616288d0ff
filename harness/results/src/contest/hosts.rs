//! All systems on all hosts of a merged run, on one test set, as one contest in quality and words per dollar.

use dyno_record::{Track, Verdict};
use dyno_stats::{Order, Standing, standings};

use super::cost::{Cost, paid_of};
use super::race::{Compared, Contest, Contestant};
use crate::scores::Scale;
use crate::summary::Duel;
use crate::{CellSummary, Column, Run, Summary};

/// A system on a host.
pub struct HostCell<'a> {
    /// Number of the host.
    pub host: usize,
    /// Cell that money is counted by.
    pub cell: &'a CellSummary,
    /// Cell of the latency track, unless it is INVALID.
    pub latency: Option<&'a CellSummary>,
}

/// Systems of all `hosts` on a test set, by host, and their contest, in which each has its number.
pub fn between_hosts<'a>(
    hosts: &[(&'a Run, &'a Summary)],
    test_set: &str,
) -> (Vec<HostCell<'a>>, Contest<'a>) {
    let first = hosts.first().map(|(run, _)| run.first_scale(test_set));
    let scale = first.unwrap_or_else(|| Scale::unknown(""));
    let cells = hosts.iter().flat_map(|(_, summary)| &summary.cells);
    let paid = paid_of(cells.filter(|cell| cell.test_set == test_set).map(|cell| cell.track));
    let of_host =
        |(host, (_, summary)): (usize, &(&'a Run, &'a Summary))| cells_of(host, summary, test_set, paid);
    let cells: Vec<_> = hosts.iter().enumerate().flat_map(of_host).collect();
    let runs = hosts.iter().map(|(run, _)| *run).collect();
    let contest = contest(quality_order(runs, test_set, &cells, &scale), &cells, scale);
    (cells, contest)
}

fn cells_of<'a>(host: usize, summary: &'a Summary, test_set: &str, paid: Track) -> Vec<HostCell<'a>> {
    let cells = summary.cells.iter().filter(|cell| cell.test_set == test_set);
    let valid = cells.clone().filter(|cell| cell.track == Track::Latency && cell.verdict != Verdict::Invalid);
    let latency = |system: &str| valid.clone().find(|cell| cell.system == system);
    let own = cells.filter(|cell| cell.track == paid);
    own.map(|cell| HostCell { host, cell, latency: latency(&cell.system) }).collect()
}

/// The contest of `cells`. NOISY and INVALID ones, echoes, twins and texts without quality stand on no frontier: each
/// host's own judgement says so.
fn contest<'a>(order: Compared<'a, Order>, cells: &[HostCell<'a>], scale: Scale) -> Contest<'a> {
    let both = cells.iter().enumerate().filter_map(|(system, HostCell { cell, .. })| {
        let (quality, cost) = (cell.quality_by(&scale.name)?, Column::Dollars.figure(cell)?);
        let standing = Standing::Off; // until all are known
        Some((cell.standing.is_some(), Contestant { system, quality, cost, standing }))
    });
    let both = both.collect();
    let gain = |a: &Contestant, b: &Contestant| Duel::apart(&b.cost, &a.cost);
    let mut contest = Contest::between(Cost::Dollars, scale, both, order, Box::new(gain));
    let all = &contest.contestants;
    let quality = |a: usize, b: usize| contest.quality_order(&all[a], &all[b]);
    let standings = standings(all.len(), quality, |a, b| all[a].cost.order(&all[b].cost));
    for (one, standing) in contest.contestants.iter_mut().zip(standings) {
        one.standing = standing;
    }
    contest
}

/// Order of two cells in quality: equal texts are equal, else the paired bootstrap of a host that has both,
/// else the intervals.
fn quality_order<'a>(
    hosts: Vec<&'a Run>,
    test_set: &str,
    cells: &[HostCell<'a>],
    scale: &Scale,
) -> Compared<'a, Order> {
    let texts: Vec<Option<&'a str>> = cells.iter().map(|own| own.cell.output.as_deref()).collect();
    let (scale, test_set) = (scale.clone(), test_set.to_owned());
    Box::new(move |a, b| {
        let known = texts[a.system].zip(texts[b.system]).and_then(|(x, y)| {
            let compared = |run: &&Run| run.scores.difference(&scale.name, x, y, &test_set);
            let order = || hosts.iter().rev().find_map(compared).map(|difference| scale.order(&difference));
            if x == y { Some(Order::Equal) } else { order() }
        });
        known.unwrap_or_else(|| scale.order_of(&a.quality, &b.quality))
    })
}
