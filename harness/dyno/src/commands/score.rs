//! `dyno score`: scores the outputs of a run, prices it, and writes its summary again.

use dyno_results::scores::{Metrics, Scores};
use dyno_results::{Run, Store, Summary};
use dyno_stats::numbers::counted;
use serde_json::json;

use crate::cli::runs::ScoreArgs;
use crate::exit::{Exit, Outcome, no_answer};
use crate::output::{print_json, print_verdicts, warn_of_look_alikes};
use crate::page::write_page;
use crate::runner::keep_price;
use crate::scoring::{prepare, score as score_texts};
use crate::table;

pub fn score(args: &ScoreArgs) -> Outcome {
    let (store, mut run) = Store::reopen(&args.run)?;
    if run.records.is_empty() {
        let remedy = "run its campaign again with the same --out, which resumes it";
        let message = format!("{} holds no round; {remedy}", args.run.display());
        return Err(no_answer(Exit::NothingMeasured, message));
    }
    warn_of_look_alikes(&run.systems());
    keep_price(&store, &mut run, args.pricing.price.as_deref(), args.pricing.prices.as_deref())?;
    let (metrics, scores) = (run.metrics.clone(), run.scores.clone());
    for metric in &args.metrics {
        if run.metrics.add(metric.clone()) {
            run.scores.forget(metric.name()); // they are another metric's
        }
    }
    prepare(&run.metrics, &run.test_sets);
    let failures = score_texts(&store, &mut run, &args.metrics)?;
    take_back(&store, &mut run, &metrics, scores)?;
    let summary = Summary::of(&run);
    store.keep_summary(&run, &summary)?;
    write_page(store.folder(), &run, &summary);
    if args.json {
        let Summary { cells, metrics, disagreements, price, .. } = &summary;
        let fields = json!({
            "cells": cells, "metrics": metrics, "disagreements": disagreements, "price": price,
            "failures": failures,
        });
        print_json("score", &fields)?
    } else {
        print_verdicts(&table::render(&summary))?
    }
    warn_if_unfinished(&run);
    if failures.is_empty() {
        return Ok(Exit::Done);
    }
    // What the other metrics and the price say stands in the tables above.
    say!("dyno: {}", failures.join("; "));
    Ok(Exit::BadInput)
}

/// Takes back the metrics that scored nothing: the run keeps `metrics` in their place, and what these had scored.
fn take_back(store: &Store, run: &mut Run, metrics: &Metrics, mut scores: Scores) -> Outcome<()> {
    run.metrics.take_back(metrics, |name| run.scores.scale(name).is_some());
    store.keep_metrics(&run.metrics)?;
    run.scores.metrics.iter().for_each(|scale| scores.forget(&scale.name));
    run.scores.add_missing(&scores);
    Ok(store.keep_scores(&run.scores)?)
}

/// Warns if the run is unfinished, with the command that resumes it. Only runs of a campaign store such a
/// command.
fn warn_if_unfinished(run: &Run) {
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
    say!("warning: the run is unfinished: {rounds} missing ({}); to resume: {command}", cells.join(", "));
}

const MOST_NAMED: usize = 6;
