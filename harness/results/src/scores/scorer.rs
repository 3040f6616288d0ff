//! Scoring: every metric of a run scores all outputs that it can read, and a bootstrap compares every two of a
//! test set.
//!
//! A metric that fails leaves the others as they are, and its own earlier scores too.

use std::collections::BTreeMap;

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

/// Place of a text in the work: of its test set, and of the output there.
type Place = (usize, usize);
/// Scores of one metric, without what it can't score.
type Sheet = BTreeMap<Place, Scored>;
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
    for ((set, output), scored) in sheets.into_iter().take(1).flat_map(|(_, sheet)| sheet) {
        let name = work[set].outputs[output].0;
        answer.lines.extend(scored.lines.map(|lines| (name.to_owned(), lines)));
    }
    answer
}

/// All texts of the work, with their test sets.
fn texts<'a>(work: &'a [Work<'_>]) -> impl Iterator<Item = (Place, &'a TestSet, &'a [String])> {
    work.iter().enumerate().flat_map(|(i, set)| {
        set.outputs.iter().enumerate().map(move |(j, (_, lines))| ((i, j), set.set, *lines))
    })
}

/// Sheets of the metrics of sacrebleu, from one process, and the failures of metrics.
fn sacrebleu_sheets(work: &[Work<'_>], metrics: &Metrics) -> Result<(Sheets, Vec<String>)> {
    let standard = metrics.of_sacrebleu();
    let has_references = |place: &usize| !work[*place].set.references.is_empty();
    let places: Vec<usize> = (0..work.len()).filter(has_references).collect();
    if standard.is_empty() || places.is_empty() {
        return Ok(Default::default());
    }
    let scorable: Vec<&Work<'_>> = places.iter().map(|&place| &work[place]).collect();
    let targets = scorable.iter().map(|set| metrics.targets.get(&set.set.name).map(String::as_str));
    let sets = sacrebleu::score(&scorable, &standard, &targets.collect::<Vec<_>>())?;
    let mut sheets: Sheets = standard.iter().map(|metric| (metric.scale(), Sheet::new())).collect();
    let mut failures = Vec::new();
    for (place, by_metric) in places.into_iter().zip(sets) {
        for ((scale, sheet), scored) in sheets.iter_mut().zip(by_metric) {
            match scored {
                Ok(texts) => sheet.extend((0..).map(|output| (place, output)).zip(texts)),
                Err(error) => failures.push(format!("{} on {}: {error}", scale.title, work[place].set.name)),
            }
        }
    }
    // A metric without any score leaves its earlier ones in place.
    sheets.retain(|(_, sheet)| !sheet.is_empty());
    Ok((sheets, failures))
}

/// Encoders' correlations with gold scores. An output with a line that is no vector has none.
fn spearman_sheet(work: &[Work<'_>]) -> (Scale, Sheet) {
    let scored = texts(work).filter_map(|(place, set, lines)| {
        let sampled = correlation(set, lines)?;
        let (score, signature) = (sampled.score, String::new());
        Some((place, Scored { score, signature, sampled: Some(sampled), lines: None }))
    });
    (Standard::Spearman.scale(), scored.collect())
}

fn worker_sheet(mut worker: Worker, work: &[Work<'_>]) -> Result<(Scale, Sheet)> {
    let scale = worker.scale();
    let suited = texts(work).filter(|(_, set, _)| scale.suits(set));
    let scored = suited.map(|(place, set, lines)| Ok((place, worker.score(set, lines)?)));
    let sheet = scored.collect::<Result<_>>()?;
    Ok((scale, sheet))
}

fn merged(work: &[Work<'_>], sheets: &[(Scale, Sheet)]) -> Scores {
    let mut scores =
        Scores { metrics: sheets.iter().map(|(scale, _)| scale.clone()).collect(), ..Scores::default() };
    for (i, set) in work.iter().enumerate() {
        for (a, (output, _)) in set.outputs.iter().enumerate() {
            let own = sheets
                .iter()
                .filter_map(|(scale, sheet)| Some((scale.name.clone(), sheet.get(&(i, a))?.quality())));
            scores.texts.insert([set.set.name.clone(), (*output).into()], own.collect());
            for b in 0..a {
                let outputs = [a, b].map(|place| set.outputs[place].0.into());
                scores.add_pair(set.set.name.clone(), outputs, differences(sheets, (i, a), (i, b)));
            }
        }
    }
    scores
}

fn differences(sheets: &[(Scale, Sheet)], a: Place, b: Place) -> BTreeMap<String, Difference> {
    let difference = |(scale, sheet): &(Scale, Sheet)| {
        let sampled = |place: Place| sheet.get(&place)?.sampled.as_ref();
        let pair = sampled(a)?.minus(sampled(b)?);
        let pair = if scale.is_higher_better() { pair } else { pair.where_less_is_better() };
        Some((scale.name.clone(), pair))
    };
    sheets.iter().filter_map(difference).collect()
}

/// Scores of a whole run if one of its outputs lacks a score or a metric of `again` is asked for, else `None`.
/// All outputs are then scored again, since pairs need all of them; a worker's answers are cached. The source as its
/// own translation is scored with them.
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

/// Outputs on one test set, each with a system that gave it; none where no metric suits the set.
fn outputs_on<'a>(run: &'a Run, set: &TestSet) -> BTreeMap<&'a String, &'a str> {
    if run.scales_of(set).is_empty() {
        return BTreeMap::new();
    }
    let records = run.records.iter().filter(|record| record.test_set == set.name);
    records.filter_map(|record| Some((record.output.as_ref()?, record.system.as_str()))).collect()
}

/// Messages about systems with an answer that is too long to be scored, one for each text.
fn too_long(run: &Run, set: &TestSet) -> Vec<String> {
    let message = |(output, system): (&String, &str)| {
        Some(format!("{system} on {}: {}", set.name, unscorable(&run.outputs[output])?))
    };
    outputs_on(run, set).into_iter().filter_map(message).collect()
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
    let outputs = outputs_on(run, set).into_keys().map(|name| (name.as_str(), run.outputs[name].as_slice()));
    let is_whole = |answers: &[String]| answers.len() == set.source.len();
    let outputs: Vec<_> =
        outputs.filter(|(_, answers)| is_whole(answers) && unscorable(answers).is_none()).collect();
    (!outputs.is_empty()).then_some(Work { set, outputs })
}
