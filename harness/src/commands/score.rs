//! `dyno score`: quality for a run's outputs, and its summary anew. `dyno run` ends with the same steps.

use std::collections::HashMap;

use super::{load_campaign, print, print_json};
use crate::campaign::{Campaign, TestSet};
use crate::cli::ScoreArgs;
use crate::exit::{Exit, OrBadInput, Outcome, bad_input};
use crate::score::{self, Score};
use crate::store::{CellSummary, Store, read_json, summarise, write_csv, write_json};
use crate::table;

/// Scores by output and test set.
type Scores = HashMap<(String, String), Score>;

/// Scores the run again and prints its tables.
pub fn score(args: &ScoreArgs) -> Outcome {
    let campaign = load_campaign(args.campaign.as_deref())?;
    let (identity, store) = Store::read(&args.run)?;
    if let Some((name, ..)) = identity.test_sets.iter().find(|(name, hash, _)| !knows(&campaign, name, hash))
    {
        let remedy = "name the run's own campaign with --campaign";
        return Err(bad_input(format!(
            "campaign {} has no test set {name} as the run used it: {remedy}",
            campaign.name
        )));
    }
    score::prepare().or_bad_input()?;
    let rows = summarise_run(&store, &campaign, true)?;
    store.clear_scratch();
    if args.json {
        print_json(&rows)?
    } else {
        print(&table::render(&rows))?
    }
    Ok(Exit::Done)
}

fn knows(campaign: &Campaign, name: &str, hash: &str) -> bool {
    campaign.test_sets.iter().any(|set| set.name == name && set.sha256 == hash)
}

/// Scores what has no score yet (where that is possible), and writes scores and summary.
pub fn summarise_run(store: &Store, campaign: &Campaign, can_score: bool) -> Outcome<Vec<CellSummary>> {
    let scores_path = store.folder().join("scores.json");
    let known: Vec<Score> = read_json(&scores_path)?.unwrap_or_default();
    let mut scores: Scores =
        known.into_iter().map(|score| (key(&score.output, &score.test_set), score)).collect();
    if can_score {
        add_missing(store, campaign, &mut scores)?;
    }
    let mut sorted: Vec<&Score> = scores.values().collect();
    sorted.sort_by(|a, b| (&a.test_set, &a.output).cmp(&(&b.test_set, &b.output)));
    write_json(&scores_path, &sorted)?;
    let systems: Vec<&str> = campaign.systems.iter().map(|system| system.name.as_str()).collect();
    let rows = summarise(store.records(), &systems, &scores);
    if !rows.is_empty() {
        write_csv(&store.folder().join("summary.csv"), &rows)?;
    }
    Ok(rows)
}

fn key(output: &str, test_set: &str) -> (String, String) {
    (output.into(), test_set.into())
}

fn add_missing(store: &Store, campaign: &Campaign, scores: &mut Scores) -> Outcome<()> {
    for record in store.records() {
        let Some(output) = &record.output else { continue };
        let has_references = |set: &&TestSet| set.name == record.test_set && !set.references.is_empty();
        let Some(test_set) = campaign.test_sets.iter().find(has_references) else { continue };
        if scores.contains_key(&key(output, &test_set.name)) {
            continue;
        }
        // A round with a wrong number of lines has kept its text, but there is nothing to score.
        let text = String::from_utf8_lossy(&std::fs::read(store.output_path(output))?).into_owned();
        if text.matches('\n').count() != test_set.source.len() {
            continue;
        }
        let score = score::score(output, &text, &test_set.name, &test_set.references)?;
        scores.insert(key(output, &test_set.name), score);
    }
    Ok(())
}
