//! Scoring: every metric of a run scores all outputs, and a bootstrap compares every two of a test set.
//!
//! A metric that fails leaves the others as they are.

use std::collections::{BTreeMap, BTreeSet};

use super::metric::{Metric, Metrics, Standard};
use super::sacrebleu;
use super::scale::Scale;
use super::stored::{Pair, Score, Scores};
use super::work::{Scored, Work};
use super::worker::Worker;
use crate::error::Result;
use crate::run::Run;

/// Result of scoring.
#[derive(Debug, Default)]
pub struct Answer {
    /// Scores, as far as the metrics gave some.
    pub scores: Scores,
    /// Failures of metrics, each with the metric's name.
    pub failures: Vec<String>,
}

/// Scores of one metric: by test set, then by output. `None` for a test set that the metric can't score.
type Sheet = Vec<Option<Vec<Scored>>>;

/// Scores all of `work` by all `metrics`.
pub fn score(work: &[Work<'_>], metrics: &Metrics) -> Answer {
    let mut answer = Answer::default();
    let mut sheets: Vec<(Scale, Sheet)> = Vec::new();
    match standard_sheets(work, metrics) {
        Ok(standard) => sheets.extend(standard),
        Err(error) => answer.failures.push(format!("sacrebleu: {error}")),
    }
    for metric in &metrics.list {
        let Metric::Worker(command) = metric else { continue };
        match Worker::start(command).and_then(|worker| worker_sheet(worker, work)) {
            Ok(sheet) => sheets.push(sheet),
            Err(error) => answer.failures.push(error.to_string()),
        }
    }
    sheets.sort_by_key(|(scale, _)| metrics.list.iter().position(|metric| metric.name() == scale.name));
    answer.scores = merged(work, &sheets);
    answer
}

fn standard_sheets(work: &[Work<'_>], metrics: &Metrics) -> Result<Vec<(Scale, Sheet)>> {
    let standard = metrics.standard();
    let has_references = |set: &&Work<'_>| !set.references.is_empty();
    let scorable: Vec<&Work<'_>> = work.iter().filter(has_references).collect();
    if standard.is_empty() || scorable.is_empty() {
        return Ok(Vec::new());
    }
    let targets = scorable.iter().map(|set| metrics.targets.get(set.test_set).map(String::as_str));
    let sets = sacrebleu::score(&scorable, &standard, &targets.collect::<Vec<_>>())?;
    let mut sheets: Vec<(Scale, Sheet)> =
        standard.iter().map(|metric: &Standard| (metric.scale(), Vec::new())).collect();
    let mut sets = sets.into_iter();
    for set in work {
        let texts = if has_references(&set) { sets.next() } else { None };
        let mut columns: Vec<Vec<Scored>> = standard.iter().map(|_| Vec::new()).collect();
        let is_scored = texts.is_some();
        for text in texts.into_iter().flatten() {
            columns.iter_mut().zip(text).for_each(|(column, scored)| column.push(scored));
        }
        for ((_, sheet), column) in sheets.iter_mut().zip(columns) {
            sheet.push(is_scored.then_some(column));
        }
    }
    Ok(sheets)
}

fn worker_sheet(mut worker: Worker, work: &[Work<'_>]) -> Result<(Scale, Sheet)> {
    let mut sheet = Sheet::new();
    for set in work {
        sheet.push(match worker.can_score(set) {
            true => Some(
                set.outputs.iter().map(|(_, lines)| worker.score(set, lines)).collect::<Result<Vec<_>>>()?,
            ),
            false => None,
        });
    }
    Ok((worker.scale(), sheet))
}

fn merged(work: &[Work<'_>], sheets: &[(Scale, Sheet)]) -> Scores {
    let mut scores =
        Scores { metrics: sheets.iter().map(|(scale, _)| scale.clone()).collect(), ..Scores::default() };
    for (i, set) in work.iter().enumerate() {
        let columns: Vec<(&Scale, &Vec<Scored>)> =
            sheets.iter().filter_map(|(scale, sheet)| Some((scale, sheet[i].as_ref()?))).collect();
        for (a, (output, _)) in set.outputs.iter().enumerate() {
            let own = columns.iter().map(|(scale, column)| (scale.name.clone(), column[a].quality()));
            scores.scores.push(Score {
                output: (*output).into(),
                test_set: set.test_set.into(),
                metrics: own.collect(),
            });
            scores.pairs.extend((0..a).map(|b| Pair {
                test_set: set.test_set.into(),
                a: (*output).into(),
                b: set.outputs[b].0.into(),
                metrics: differences(&columns, a, b),
            }));
        }
    }
    scores
}

fn differences(
    columns: &[(&Scale, &Vec<Scored>)],
    a: usize,
    b: usize,
) -> BTreeMap<String, dyno_stats::bootstrap::Difference> {
    let difference = |(scale, column): &(&Scale, &Vec<Scored>)| {
        let pair = column[a].sampled.as_ref()?.minus(column[b].sampled.as_ref()?);
        let pair = if scale.is_higher_better() { pair } else { pair.where_less_is_better() };
        Some((scale.name.clone(), pair))
    };
    columns.iter().filter_map(difference).collect()
}

/// Scores of a whole run if one of its outputs lacks a score, else `None`. All outputs are then scored again,
/// since pairs need all of them; a worker's answers are cached.
pub fn score_run(run: &Run) -> Option<Answer> {
    let work: Vec<Work<'_>> = run.test_sets.iter().filter_map(|set| work(run, set)).collect();
    let is_scored = |set: &Work<'_>, output: &str| {
        let known = run.scores.of(output, set.test_set);
        run.metrics
            .list
            .iter()
            .all(|metric| known.is_some_and(|known| known.metrics.contains_key(metric.name())))
    };
    let is_whole = |set: &Work<'_>| set.outputs.iter().all(|(output, _)| is_scored(set, output));
    (!work.iter().all(is_whole)).then(|| score(&work, &run.metrics))
}

/// Outputs on one test set. An output with a wrong number of lines stays in the run, but can't be scored.
fn work<'a>(run: &'a Run, set: &'a dyno_measure::TestSet) -> Option<Work<'a>> {
    let lines = set.source.len();
    let scores_without_references = run.metrics.list.iter().any(|metric| matches!(metric, Metric::Worker(_)));
    if set.references.is_empty() && !scores_without_references {
        return None;
    }
    let records = run.records.iter().filter(|record| record.test_set == set.name);
    let names: BTreeSet<&String> = records.filter_map(|record| record.output.as_ref()).collect();
    let outputs = names.into_iter().map(|name| (name.as_str(), run.outputs[name].as_slice()));
    let outputs: Vec<_> = outputs.filter(|(_, answers)| answers.len() == lines).collect();
    let work = Work { test_set: &set.name, source: &set.source, references: &set.references, outputs };
    (!work.outputs.is_empty()).then_some(work)
}
