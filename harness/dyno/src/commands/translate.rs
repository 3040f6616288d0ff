//! `dyno translate`: a built-in backend or a plugin, as a program that translates lines.

use std::path::Path;

use anyhow::Context;
use dyno_api::Facts;

use super::hosting::Hosted;
use crate::cli::engines::TranslateArgs;
use crate::exit::{Exit, OrBadInput, Outcome, bad_input};
use crate::output::{say, write_json};
use crate::precision;

pub fn translate(args: TranslateArgs) -> Outcome {
    let taken = default_precision(&args);
    let hosted = Hosted::open(args.hosted, args.breakdown.is_some())?;
    taken.into_iter().for_each(say);
    if args.explain {
        explain(hosted.tuning.as_deref())?;
    }
    dyno_host::translate_pipes(&hosted.model, hosted.track, hosted.cores, hosted.options)?;
    let facts = hosted.model.facts();
    match &args.facts {
        Some(path) => write_json(&facts, path)?,
        None => facts.cut_lines.map(cut).into_iter().chain(beside(&facts)).for_each(say),
    }
    if let Some(path) = &args.breakdown {
        write_json(&hosted.model.breakdown().context("can't read the breakdown")?, path)?;
    }
    Ok(Exit::Done)
}

/// The precision that the backend takes where the command names none, in one line. The facts say it to the
/// bench.
fn default_precision(args: &TranslateArgs) -> Option<String> {
    let hosted = &args.hosted;
    let named =
        hosted.decoding.precision.is_some() || hosted.settings.iter().any(|(name, _)| name == "precision");
    let is_told = named || hosted.plugin.is_some() || args.facts.is_some();
    let default = if is_told { None } else { precision::default_of(&hosted.models) };
    default.map(|default| format!("precision: {default}; --precision chooses another one"))
}

fn cut(lines: u64) -> String {
    let were = if lines == 1 { "line was" } else { "lines were" };
    format!(
        "warning: {lines} {were} too long and lost words; --split-lines 60 translates sentence by sentence"
    )
}

/// Note of answers whose model said, or may have said, more than the one line that each line gets.
fn beside(facts: &Facts) -> Option<String> {
    let told = facts.counts.iter().filter(|(name, count)| name.starts_with("answers ") && **count > 0);
    let told: Vec<String> = told.map(|(name, count)| format!("{name}: {count}")).collect();
    (!told.is_empty()).then(|| format!("note: {}", told.join(", ")))
}

/// Prints the choices of the tuning. The model is open by now, so that `--tune` has completed the file.
fn explain(tuning: Option<&Path>) -> Outcome<()> {
    let tuning = tuning.ok_or_else(|| bad_input("--explain needs a tuning: add --tuning or --tune"))?;
    say(dyno_host::explain_tuning(tuning).or_bad_input()?.trim_end());
    Ok(())
}
