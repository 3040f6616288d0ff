//! `dyno score`: quality for a run's outputs, and its summary anew. `dyno run` ends with the same steps.

use std::collections::BTreeSet;
use std::path::Path;

use super::report::write_page;
use super::{print, print_json};
use crate::cli::{PriceArgs, ScoreArgs};
use crate::exit::{Exit, OrBadInput, Outcome, no_answer};
use crate::numbers::counted;
use crate::prices;
use crate::say::say;
use crate::score::{self, MetricCommand, Scores, Work};
use crate::store::{Run, Store, Summary, summarise, write_csv, write_histograms, write_json};
use crate::table;

/// Scores the run again and prints its tables.
pub fn score(args: &ScoreArgs) -> Outcome {
    let store = Store::reopen(&args.run)?;
    if store.records().is_empty() {
        let remedy = "run its campaign again with the same --out: it resumes";
        return Err(no_answer(
            Exit::NothingMeasured,
            format!("{} holds no round: {remedy}", args.run.display()),
        ));
    }
    price(store.folder(), &args.price)?;
    score::prepare().or_bad_input()?;
    summarise_run(store.folder(), true)?;
    let summary = add_metrics(store.folder(), &args.metrics)?;
    store.clear_scratch();
    write_page(store.folder());
    if args.json {
        print_json(&summary.cells)?
    } else {
        print(&table::render(&summary))?
    }
    tell_missing(&Run::read(store.folder())?);
    Ok(Exit::Done)
}

/// Says what an unfinished run lacks, and how it goes on; only `dyno run` and its like leave a command that resumes.
fn tell_missing(run: &Run) {
    let missing = run.missing();
    let Some(command) = run.command.as_ref().filter(|_| !missing.is_empty()) else { return };
    let mut cells: Vec<String> = missing
        .iter()
        .map(|(cell, lacks)| format!("{} · {} · {}: {lacks}", cell.system, cell.track, cell.test_set.name))
        .collect();
    if let Some(others) = cells.len().checked_sub(MOST_NAMED).filter(|others| *others > 0) {
        cells.truncate(MOST_NAMED);
        cells.push(format!("and {}", counted(others, "other cell", "other cells")));
    }
    let rounds = counted(run.missing_rounds(), "round is", "rounds are");
    say(format_args!(
        "warning: the run is unfinished: {rounds} missing ({}); it goes on by: {command}",
        cells.join(", ")
    ));
}

/// Of the cells that lack rounds.
const MOST_NAMED: usize = 6;

/// Asks the user's own metrics about every output, and writes the summary anew.
fn add_metrics(folder: &Path, metrics: &[MetricCommand]) -> Outcome<Summary> {
    let run = Run::read(folder)?;
    let mut scores = run.scores.clone();
    for score in &mut scores.scores {
        let Some(set) = run.test_sets.iter().find(|set| set.name == score.test_set) else { continue };
        for metric in metrics {
            let value = metric.score(set, &run.outputs[&score.output]).or_bad_input()?;
            score.others.insert(metric.name.clone(), value);
        }
    }
    write_json(&folder.join("scores.json"), &scores)?;
    summarise_run(folder, false)
}

/// Keeps the price that the run is to be counted by: the one that was asked for, else the one that is there, else
/// that of the instance most like its host.
pub fn price(folder: &Path, args: &PriceArgs) -> Outcome<()> {
    let path = folder.join("price.json");
    if args.price.is_none() && args.prices.is_none() && path.exists() {
        return Ok(());
    }
    let prices = prices::load(args.prices.as_deref())?;
    let chosen = match &args.price {
        Some(name) => Some(prices::named(&prices, name)?),
        None => prices::like(&prices, &Run::read(folder)?.identity.host),
    };
    chosen.map_or(Ok(()), |price| write_json(&path, price))
}

/// Scores what has no score yet (where that is possible), and writes scores and summary.
pub fn summarise_run(folder: &Path, can_score: bool) -> Outcome<Summary> {
    let mut run = Run::read(folder)?;
    if can_score && let Some(mut scores) = score_outputs(&run) {
        for score in &mut scores.scores {
            // The user's own metrics were dear, perhaps.
            let known = run.scores.of(&score.output, &score.test_set);
            score.others = known.map(|known| known.others.clone()).unwrap_or_default();
        }
        write_json(&folder.join("scores.json"), &scores)?;
        run.scores = scores;
    }
    let summary = summarise(&run);
    if !summary.cells.is_empty() {
        write_histograms(folder, &run)?;
        write_csv(&folder.join("summary.csv"), &summary.cells)?;
    }
    Ok(summary)
}

/// Scores all outputs, if any lacks its score: pairs are of all.
fn score_outputs(run: &Run) -> Option<Scores> {
    let work: Vec<Work<'_>> =
        run.test_sets.iter().filter_map(|set| work(run, &set.name, &set.references)).collect();
    let is_scored = |set: &Work<'_>| {
        let mut outputs = set.outputs.iter();
        outputs.all(|(output, _)| run.scores.of(output, set.test_set).is_some())
    };
    if work.iter().all(is_scored) {
        return None;
    }
    // The speeds stand without it.
    let warn = |error| say(format_args!("warning: no quality: {error:#}"));
    score::score(&work).map_err(warn).ok()
}

/// The outputs on one test set. A round with a wrong number of lines has kept its text, but there is nothing to
/// score.
fn work<'a>(run: &'a Run, test_set: &'a str, references: &'a [Vec<String>]) -> Option<Work<'a>> {
    let lines = references.first()?.len();
    let records = run.records.iter().filter(|record| record.test_set == test_set);
    let names: BTreeSet<&String> = records.filter_map(|record| record.output.as_ref()).collect();
    let outputs = names.into_iter().map(|name| (name.as_str(), run.outputs[name].as_slice()));
    let outputs: Vec<_> = outputs.filter(|(_, answers)| answers.len() == lines).collect();
    (!outputs.is_empty()).then_some(Work { test_set, references, outputs })
}
