//! Pairs of systems on whose order two metrics disagree. A finding that rests on one metric alone is weaker
//! than one that all metrics share (Kocmi et al. 2021).

use std::collections::HashSet;

use dyno_record::Verdict;
use dyno_stats::Order;
use serde::Serialize;

use super::cell::CellSummary;
use crate::run::Run;
use crate::scores::Scale;

/// Two systems that the first metric ranks surely, and another metric surely the other way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Disagreement {
    /// Name of the test set.
    pub test_set: String,
    /// Name of the metric that disagrees with the first one.
    pub metric: String,
    /// System that the first metric ranks higher.
    pub better: String,
    /// System that the first metric ranks lower.
    pub worse: String,
}

impl Disagreement {
    /// The disagreement in a sentence, by the title of its metric.
    pub fn about(&self, scales: &[Scale]) -> String {
        let title = |scale: &Scale| scale.title.clone();
        let named = scales.iter().find(|scale| scale.name == self.metric).map(title);
        let (first, other) = (scales.first().map(title).unwrap_or_default(), named.unwrap_or_default());
        let Self { test_set, better, worse, .. } = self;
        format!("{first} ranks {better} above {worse} on {test_set}; {other} ranks these two the other way")
    }
}

/// Disagreements among the cells that are not INVALID, each pair of texts once.
pub(super) fn disagreements(run: &Run, cells: &[CellSummary], scales: &[Scale]) -> Vec<Disagreement> {
    let Some((first, others)) = scales.split_first() else { return Vec::new() };
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    let scored: Vec<&CellSummary> = cells.iter().filter(|row| row.verdict != Verdict::Invalid).collect();
    for (i, a) in scored.iter().enumerate() {
        for b in scored[..i].iter().filter(|b| (&b.test_set, b.track) == (&a.test_set, a.track)) {
            let (Some(x), Some(y)) = (&a.output, &b.output) else { continue };
            if !seen.insert((&a.test_set, x.min(y), x.max(y))) {
                continue;
            }
            let order = |scale: &Scale| {
                let pair = run.scores.difference(&scale.name, x, y, &a.test_set);
                pair.map_or(Order::Unclear, |pair| scale.order(&pair))
            };
            let (better, worse, opposite) = match order(first) {
                Order::Better => (a, b, Order::Worse),
                Order::Worse => (b, a, Order::Better),
                Order::Equal | Order::Unclear => continue,
            };
            found.extend(others.iter().filter(|scale| order(scale) == opposite).map(|scale| Disagreement {
                test_set: a.test_set.clone(),
                metric: scale.name.clone(),
                better: better.system.clone(),
                worse: worse.system.clone(),
            }));
        }
    }
    found
}
