//! `dyno score`: quality for a run's outputs, and its summary anew. `dyno run` ends with the same steps.

use std::collections::BTreeSet;
use std::path::Path;

use super::report::write_page;
use super::{print, print_json};
use crate::cli::ScoreArgs;
use crate::exit::{Exit, OrBadInput, Outcome};
use crate::say::say;
use crate::score::{self, Scores, Work};
use crate::store::{Run, Store, Summary, summarise, write_csv, write_json};
use crate::table;

/// Scores the run again and prints its tables.
pub fn score(args: &ScoreArgs) -> Outcome {
    let store = Store::reopen(&args.run)?;
    score::prepare().or_bad_input()?;
    let summary = summarise_run(store.folder(), true)?;
    store.clear_scratch();
    write_page(store.folder());
    if args.json {
        print_json(&summary.cells)?
    } else {
        print(&table::render(&summary))?
    }
    Ok(Exit::Done)
}

/// Scores what has no score yet (where that is possible), and writes scores and summary.
pub fn summarise_run(folder: &Path, can_score: bool) -> Outcome<Summary> {
    let mut run = Run::read(folder)?;
    if can_score && let Some(scores) = score_outputs(&run) {
        write_json(&folder.join("scores.json"), &scores)?;
        run.scores = scores;
    }
    let summary = summarise(&run);
    if !summary.cells.is_empty() {
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
