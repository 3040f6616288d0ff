//! Summary of a run: one row for each cell, with medians over rounds, their intervals, and the standing of
//! the system.

pub mod cell;
mod counted;
mod disagreement;
mod duel;
mod figures;
pub mod judge;
mod load;
mod row;
mod same_weights;
mod unequal;

use std::collections::BTreeMap;

use dyno_measure::TestSet;
use dyno_record::Track;
use serde::Serialize;

use crate::prices::Price;
use crate::run::Run;
use crate::scores::{Scale, name_of_copy};
use crate::turns::Measure;
pub use cell::Remark;
use cell::{CellSummary, MetricFigure};
use counted::Counted;
pub use disagreement::Disagreement;
pub use duel::Duel;
pub use figures::steady;
pub use load::LoadFigures;
use row::summarise_cell;

/// Summary of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Rows of the cells, by test set and track, systems in the campaign's order.
    pub cells: Vec<CellSummary>,
    /// Noise floor of each track: greatest difference of two measurements of the same system, as a share
    /// (0.02 is 2 %). A track without twins is absent.
    pub noise_floors: BTreeMap<Track, f64>,
    /// Price that counts words per dollar.
    pub price: Option<Price>,
    /// Scales of the metrics, the frontier's first.
    pub metrics: Vec<Scale>,
    /// Pairs of systems that another metric ranks the other way than the first.
    pub disagreements: Vec<Disagreement>,
    /// Systems of different engines on one model, with what differs between them.
    pub same_weights: Vec<Remark>,
    /// Settings in which the systems on one test set are unequal.
    pub unequal: Vec<Remark>,
    /// Quality of each test set's source as its own translation, by the name of the set. A set whose source a system
    /// has returned has none here: that system's row says it.
    pub copied: BTreeMap<String, Vec<MetricFigure>>,
}

impl Summary {
    /// The summary of `run`.
    pub fn of(run: &Run) -> Self {
        let (measured, scales, counted) = (run.cells(), run.scales(), Counted::of(run));
        let noise_floors = judge::noise_floors(run, &measured);
        let mut cells: Vec<_> =
            measured.iter().map(|cell| summarise_cell(run, cell, &scales, &counted)).collect();
        let tables = measured.chunk_by(|a, b| (&a.test_set.name, a.track) == (&b.test_set.name, b.track));
        let rows = cells.chunk_by_mut(|a, b| (&a.test_set, a.track) == (&b.test_set, b.track));
        for (table, rows) in tables.zip(rows) {
            let track = table[0].track;
            let floor = |measure| match measure {
                Measure::Speed => noise_floors.get(&track).copied(),
                Measure::P95 => judge::noise_floor(run, &measured, track, measure),
            };
            judge::place(run, table, rows, floor);
        }
        let disagreements = disagreement::disagreements(run, &cells, &scales);
        let same_weights = same_weights::same_weights(run, &cells);
        let sets: Vec<&str> = run.test_sets.iter().map(|set| set.name.as_str()).collect();
        let (unequal, copied) = (unequal::unequal(&sets, &cells), copied(run, &cells, &scales));
        let price = run.price.clone();
        Self { cells, noise_floors, price, metrics: scales, disagreements, same_weights, unequal, copied }
    }

    /// Rows of the other systems of a row's table that are ranked with it.
    pub(crate) fn ranked_beside(&self, row: &CellSummary) -> impl Iterator<Item = &CellSummary> {
        let is_beside = move |other: &&CellSummary| {
            (&other.test_set, other.track) == (&row.test_set, row.track) && other.place != row.place
        };
        self.cells.iter().filter(is_beside).filter(|other| other.standing.is_some())
    }
}

/// Quality of the source of each set, where it was scored and no system has returned it.
fn copied(run: &Run, cells: &[CellSummary], scales: &[Scale]) -> BTreeMap<String, Vec<MetricFigure>> {
    let on_set = |set: &TestSet| {
        let name = name_of_copy(set);
        let figure = |scale: &Scale| {
            let quality = run.scores.quality(&scale.name, &name, &set.name)?;
            let (metric, score, confidence) = (scale.name.clone(), Some(quality.score), quality.confidence);
            Some(MetricFigure { metric, score, confidence, low: None, high: None })
        };
        let figures: Vec<MetricFigure> = scales.iter().filter_map(figure).collect();
        let is_returned =
            cells.iter().any(|row| row.test_set == set.name && row.output.as_ref() == Some(&name));
        (!figures.is_empty() && !is_returned).then(|| (set.name.clone(), figures))
    };
    run.test_sets.iter().filter_map(on_set).collect()
}
