//! Scoring: every metric of a run scores all outputs that it can read, and a bootstrap compares every two of a
//! test set.
//!
//! A metric that fails leaves the others as they are, and its own earlier scores too.

use std::collections::{BTreeMap, BTreeSet};

use dyno_measure::TestSet;
use dyno_stats::bootstrap::Difference;

use super::metric::{Metric, Metrics, Standard};
use super::sacrebleu;
use super::scale::Scale;
use super::spearman::correlation;
use super::stored::Scores;
use super::work::{Copied, Scored, Work};
use super::worker::Worker;
use crate::error::Result;
use crate::run::Run;

/// Longest line that is scored, in bytes: metrics take time that grows faster than a line, minutes for one of ten
/// megabytes. A long paragraph has some thousands.
const LONGEST_SCORED: usize = 64 << 10;

/// Result of scoring.
#[derive(Debug, Default)]
pub struct Answer {
    /// Scores, as far as the metrics gave some.
    pub scores: Scores,
    /// Failures of metrics, each with the metric's name.
    pub failures: Vec<String>,
    /// Texts that no metric scores, each with the reason.
    pub unscored: Vec<String>,
    /// Scores of the lines of each output, by the first metric.
    pub lines: BTreeMap<String, Vec<f64>>,
}

/// Scores of one metric: by test set, then by output. `None` for what the metric can't score.
type Sheet = Vec<Vec<Option<Scored>>>;
type Sheets = Vec<(Scale, Sheet)>;

/// Scores all of `work` by all `metrics`.
pub fn score(work: &[Work<'_>], metrics: &Metrics) -> Answer {
    let mut answer = Answer::default();
    let mut sheets = Sheets::new();
    match sacrebleu_sheets(work, metrics) {
        Ok((scored, failures)) => {
            sheets.extend(scored);
            answer.failures.extend(failures);
        }
        Err(error) => answer.failures.push(format!("sacrebleu: {error}")),
    }
    for metric in &metrics.list {
        match metric {
            Metric::Standard(Standard::Spearman) => sheets.push(spearman_sheet(work)),
            Metric::Standard(_) => {}
            Metric::Worker(command) => {
                match Worker::start(command).and_then(|worker| worker_sheet(worker, work)) {
                    Ok(sheet) => sheets.push(sheet),
                    Err(error) => answer.failures.push(error.to_string()),
                }
            }
        }
    }
    sheets.sort_by_key(|(scale, _)| metrics.list.iter().position(|metric| metric.name() == scale.name));
    answer.scores = merged(work, &sheets);
    let first = sheets.into_iter().next().map(|(_, sheet)| sheet).unwrap_or_default();
    for (set, column) in work.iter().zip(first) {
        let lines = set.outputs.iter().zip(column);
        let lines = lines.filter_map(|((output, _), scored)| Some(((*output).to_owned(), scored?.lines?)));
        answer.lines.extend(lines);
    }
    answer
}

fn nothing(set: &Work<'_>) -> Vec<Option<Scored>> {
    set.outputs.iter().map(|_| None).collect()
}

/// Sheets of the metrics of sacrebleu, from one process, and the failures of metrics.
fn sacrebleu_sheets(work: &[Work<'_>], metrics: &Metrics) -> Result<(Sheets, Vec<String>)> {
    let standard = metrics.of_sacrebleu();
    let has_references = |set: &&Work<'_>| !set.set.references.is_empty();
    let scorable: Vec<&Work<'_>> = work.iter().filter(has_references).collect();
    if standard.is_empty() || scorable.is_empty() {
        return Ok(Default::default());
    }
    let targets = scorable.iter().map(|set| metrics.targets.get(&set.set.name).map(String::as_str));
    let sets = sacrebleu::score(&scorable, &standard, &targets.collect::<Vec<_>>())?;
    let mut sheets: Sheets = standard
        .iter()
        .map(|metric: &Standard| (metric.scale(), work.iter().map(nothing).collect()))
        .collect();
    let places = (0..work.len()).filter(|&place| has_references(&&work[place]));
    let mut failures = Vec::new();
    for (place, by_metric) in places.zip(sets) {
        for ((scale, sheet), scored) in sheets.iter_mut().zip(by_metric) {
            match scored {
                Ok(texts) => sheet[place] = texts.into_iter().map(Some).collect(),
                Err(error) => failures.push(format!("{} on {}: {error}", scale.title, work[place].set.name)),
            }
        }
    }
    // A metric without any score leaves its earlier ones in place.
    sheets.retain(|(_, sheet)| sheet.iter().flatten().any(Option::is_some));
    Ok((sheets, failures))
}

/// Encoders' correlations with gold scores. An output with a line that is no vector has none.
fn spearman_sheet(work: &[Work<'_>]) -> (Scale, Sheet) {
    let column = |set: &Work<'_>| {
        let scored = |(_, lines): &(&str, &[String])| {
            let sampled = correlation(set.set, lines)?;
            Some(Scored {
                score: sampled.score,
                signature: String::new(),
                sampled: Some(sampled),
                lines: None,
            })
        };
        set.outputs.iter().map(scored).collect()
    };
    (Standard::Spearman.scale(), work.iter().map(column).collect())
}

fn worker_sheet(mut worker: Worker, work: &[Work<'_>]) -> Result<(Scale, Sheet)> {
    let (scale, mut sheet) = (worker.scale(), Sheet::new());
    for set in work {
        sheet.push(match scale.suits(set.set) {
            true => {
                let scored = set.outputs.iter().map(|(_, lines)| worker.score(set.set, lines).map(Some));
                scored.collect::<Result<_>>()?
            }
            false => nothing(set),
        });
    }
    Ok((scale, sheet))
}

fn merged(work: &[Work<'_>], sheets: &[(Scale, Sheet)]) -> Scores {
    let mut scores =
        Scores { metrics: sheets.iter().map(|(scale, _)| scale.clone()).collect(), ..Scores::default() };
    for (i, set) in work.iter().enumerate() {
        let columns: Vec<Column<'_>> = sheets.iter().map(|(scale, sheet)| (scale, &sheet[i][..])).collect();
        for (a, (output, _)) in set.outputs.iter().enumerate() {
            let own = columns
                .iter()
                .filter_map(|(scale, column)| Some((scale.name.clone(), column[a].as_ref()?.quality())));
            scores.texts.entry(set.set.name.clone()).or_default().insert((*output).into(), own.collect());
            for b in 0..a {
                let outputs = [a, b].map(|place| set.outputs[place].0.into());
                scores.add_pair(set.set.name.clone(), outputs, differences(&columns, a, b));
            }
        }
    }
    scores
}

/// Scores of one metric on one test set, by output.
type Column<'a> = (&'a Scale, &'a [Option<Scored>]);

fn differences(columns: &[Column<'_>], a: usize, b: usize) -> BTreeMap<String, Difference> {
    let difference = |(scale, column): &Column<'_>| {
        let sampled = |place: usize| column[place].as_ref()?.sampled.as_ref();
        let pair = sampled(a)?.minus(sampled(b)?);
        let pair = if scale.is_higher_better() { pair } else { pair.where_less_is_better() };
        Some((scale.name.clone(), pair))
    };
    columns.iter().filter_map(difference).collect()
}

/// Scores of a whole run if one of its outputs lacks a score or a metric of `again` is asked for, else `None`.
/// All outputs are then scored again, since pairs need all of them; a worker's answers are cached. The source as its own
/// translation is scored with them.
pub fn score_run(run: &Run, again: &[Metric]) -> Option<Answer> {
    let work: Vec<Work<'_>> = run.test_sets.iter().filter_map(|set| work(run, set)).collect();
    let too_long: Vec<String> = run.test_sets.iter().flat_map(|set| too_long(run, set)).collect();
    let is_scored = |set: &Work<'_>, output: &str| {
        let mut scales = run.scales_of(set.set).into_iter();
        scales.all(|scale| run.scores.quality(&scale.name, output, &set.set.name).is_some())
    };
    let is_whole = |set: &Work<'_>| set.outputs.iter().all(|(output, _)| is_scored(set, output));
    if work.is_empty() || (again.is_empty() && work.iter().all(is_whole)) {
        let nothing_new = |unscored| Answer { scores: run.scores.clone(), unscored, ..Answer::default() };
        return (!too_long.is_empty()).then(|| nothing_new(too_long));
    }
    let copies: Vec<Copied> = work.iter().map(|set| Copied::of(set.set)).collect();
    let work: Vec<Work<'_>> = work.into_iter().zip(&copies).map(|(set, copied)| set.and(copied)).collect();
    let mut answer = score(&work, &run.metrics);
    answer.scores.add_missing(&run.scores);
    answer.unscored = too_long;
    Some(answer)
}

/// Messages about systems with an answer that is too long to be scored, one for each text.
fn too_long(run: &Run, set: &TestSet) -> Vec<String> {
    if run.scales_of(set).is_empty() {
        return Vec::new();
    }
    let records = run.records.iter().filter(|record| record.test_set == set.name);
    let texts: BTreeMap<&String, &str> =
        records.filter_map(|record| Some((record.output.as_ref()?, record.system.as_str()))).collect();
    let message = |(output, system): (&String, &str)| {
        Some(format!("{system} on {}: {}", set.name, unscorable(&run.outputs[output])?))
    };
    texts.into_iter().filter_map(message).collect()
}

/// Reason why answers can't be scored, with a remedy: one is too long, the first of which is named.
pub(crate) fn unscorable(answers: &[String]) -> Option<String> {
    let bytes = answers.iter().map(String::len);
    let (place, bytes) = bytes.enumerate().find(|&(_, bytes)| bytes > LONGEST_SCORED)?;
    let line = place + 1;
    Some(format!(
        "answer {line} has {bytes} bytes, too long to be scored; limit its output to {LONGEST_SCORED}"
    ))
}

/// Outputs on one test set. An output with a wrong number of lines, or an endless one, stays in the run, but can't be
/// scored.
fn work<'a>(run: &'a Run, set: &'a TestSet) -> Option<Work<'a>> {
    if run.scales_of(set).is_empty() {
        return None;
    }
    let records = run.records.iter().filter(|record| record.test_set == set.name);
    let names: BTreeSet<&String> = records.filter_map(|record| record.output.as_ref()).collect();
    let outputs = names.into_iter().map(|name| (name.as_str(), run.outputs[name].as_slice()));
    let is_whole = |answers: &[String]| answers.len() == set.source.len();
    let outputs: Vec<_> =
        outputs.filter(|(_, answers)| is_whole(answers) && unscorable(answers).is_none()).collect();
    (!outputs.is_empty()).then_some(Work { set, outputs })
}
