//! Metrics in a campaign file: names of dyno's own, or workers.

use std::collections::BTreeMap;

use dyno_measure::check_command;
use dyno_results::scores::{Metric, Metrics, Standard};
use serde::Deserialize;
use toml::Spanned;

use super::source::Source;
use crate::exit::Outcome;

/// Metric: a name, or a worker.
#[derive(Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a metric is bleu, spbleu, chrf, chrf++, ter or spearman, or { name = \"…\", worker = [\"…\"] }"
)]
pub(super) enum WireMetric {
    Named(Standard),
    /// Program that speaks JSON lines.
    Worker {
        name: String,
        worker: Vec<String>,
    },
}

/// Metrics of the campaign, BLEU and chrF if the file names none. `targets` are the target languages of the
/// test sets.
pub(super) fn metrics(
    source: &Source<'_>,
    wire: Option<Spanned<Vec<Spanned<WireMetric>>>>,
    targets: BTreeMap<String, String>,
) -> Outcome<Metrics> {
    let Some(wire) = wire else { return Ok(Metrics { targets, ..Metrics::default() }) };
    let span = wire.span();
    let mut list: Vec<Metric> = Vec::new();
    for entry in wire.into_inner() {
        let span = entry.span();
        let metric = source.check(entry, |metric| match metric {
            WireMetric::Named(standard) => Ok(Metric::Standard(standard)),
            WireMetric::Worker { name, worker } => checked(source, &name, worker),
        })?;
        if list.iter().any(|other| other.name() == metric.name()) {
            let message = format!("a second metric {}: give each metric its own name", metric.name());
            return Err(source.error_at(span, message));
        }
        list.push(metric);
    }
    match list.is_empty() {
        true => Err(source.error_at(span, "`metrics` is empty: name one, or leave the key out")),
        false => Ok(Metrics { list, targets }),
    }
}

/// A worker that can be started, seen from the campaign's folder.
fn checked(source: &Source<'_>, name: &str, worker: Vec<String>) -> Result<Metric, String> {
    let folder = source.folder().map_err(|error| error.to_string())?;
    check_command(&worker, &folder).map_err(|fault| format!("metric {name:?}: {fault}"))?;
    Metric::worker(name, worker, folder)
}
