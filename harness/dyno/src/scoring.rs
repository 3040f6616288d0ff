//! Scoring of a run's outputs, for the commands that measure and for `dyno score`.

use std::io::IsTerminal;

use dyno_measure::TestSet;
use dyno_results::scores::{Answer, Metric, Metrics};
use dyno_results::{Run, Store, scores};

use crate::exit::Outcome;
use crate::output::say;

/// Scores the outputs of `run` if one lacks a score by a metric of the run, or if metrics of `again` are asked
/// for. Returns the failures of metrics: speeds are valid without scores.
pub fn score(store: &Store, run: &mut Run, again: &[Metric]) -> Outcome<Vec<String>> {
    let Some(answer) = scores::score_run(run, again) else { return Ok(Vec::new()) };
    let Answer { scores, failures, unscored, .. } = answer;
    unscored.iter().for_each(|text| say!("warning: no score of {text}"));
    store.keep_scores(&scores)?;
    run.scores = scores;
    Ok(failures)
}

/// Prepares the scoring, before the measurement. A failure is no reason not to measure: scoring warns of it.
pub fn prepare(metrics: &Metrics, test_sets: &[TestSet]) {
    if !metrics.of_sacrebleu().is_empty() && test_sets.iter().any(|set| !set.references.is_empty()) {
        let _ = scores::prepare(metrics, &announce);
    }
}

/// Prints a message about a wait, only on a terminal.
pub fn announce(message: &str) {
    if std::io::stderr().is_terminal() {
        say(message);
    }
}
