//! Systems that beat a cell, and those next to it on the frontier.

use dyno_stats::{Estimate, Order, Standing, against};

use crate::run::Run;
use crate::summary::Summary;
use crate::summary::cell::CellSummary;
use crate::summary::judge::{order_of_costs, order_of_rows};
use crate::turns::Measure;

/// Another system of the same table.
#[derive(Clone, Debug)]
pub struct Neighbour<'a> {
    /// Row of the other system.
    pub row: &'a CellSummary,
    /// Ratio of the other's cost to the own: p95 latency in lock-step, words a second else.
    pub ratio: Option<Estimate>,
    /// Order of the other in quality.
    pub quality: Order,
    /// Order of the other in cost.
    pub cost: Order,
}

/// Systems beside a cell.
#[derive(Clone, Debug, Default)]
pub struct Neighbours<'a> {
    /// Systems that surely beat it.
    pub beaten_by: Vec<Neighbour<'a>>,
    /// Systems that may beat it: the intervals overlap.
    pub rivals: Vec<Neighbour<'a>>,
    /// Next better in quality on the frontier.
    pub better: Option<Neighbour<'a>>,
    /// Next cheaper on the frontier.
    pub cheaper: Option<Neighbour<'a>>,
}

/// Neighbours of `row`. A row without a standing has none.
pub(super) fn of<'a>(run: &Run, summary: &'a Summary, row: &CellSummary) -> Neighbours<'a> {
    if row.standing.is_none() {
        return Neighbours::default();
    }
    let measure = if row.track.is_lockstep() { Measure::P95 } else { Measure::Speed };
    let neighbour = |other: &'a CellSummary| Neighbour {
        ratio: other.duels.get(&(measure, row.place)).map(|duel| duel.ratio),
        quality: order_of_rows(run, other, row),
        cost: order_of_costs(other, row),
        row: other,
    };
    let others: Vec<Neighbour<'a>> = summary.ranked_beside(row).map(neighbour).collect();
    let leaves = |standing| {
        let of = |other: &&Neighbour<'a>| against(other.quality, other.cost) == standing;
        others.iter().filter(of).cloned().collect::<Vec<_>>()
    };
    let on_frontier = |other: &&Neighbour<'a>| other.row.standing == Some(Standing::Frontier);
    let nearest = |is_wanted: fn(&Neighbour<'_>) -> bool, distance: &dyn Fn(&Neighbour<'_>) -> f64| {
        let wanted = others.iter().filter(on_frontier).filter(|other| is_wanted(other));
        wanted.min_by(|a, b| distance(a).total_cmp(&distance(b))).cloned()
    };
    let score = |row: &CellSummary| row.first_quality().map_or(f64::INFINITY, |quality| quality.value);
    let in_quality = |other: &Neighbour<'_>| (score(other.row) - score(row)).abs();
    // The absolute logarithm of the ratio.
    let in_cost = |other: &Neighbour<'_>| other.ratio.map_or(f64::INFINITY, |ratio| ratio.value.ln().abs());
    Neighbours {
        beaten_by: leaves(Standing::Off),
        rivals: leaves(Standing::Probably),
        better: nearest(|other| other.quality == Order::Better, &in_quality),
        cheaper: nearest(|other| other.cost == Order::Better, &in_cost),
    }
}
