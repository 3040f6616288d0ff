//! `dyno translate`: a built-in backend or a plugin, as a program that translates lines.

use std::io;
use std::path::Path;

use anyhow::Context;

use crate::cli::TranslateArgs;
use crate::exit::{Exit, Outcome, bad_input};
use crate::hosting::Hosted;
use crate::output::{say, write_json};
use crate::precision;

/// Translates standard input until it ends.
pub fn translate(args: TranslateArgs) -> Outcome {
    let taken = default_precision(&args);
    let hosted = Hosted::open(args.hosted, args.breakdown.is_some())?;
    taken.into_iter().for_each(say);
    if args.explain {
        explain(hosted.tuning.as_deref())?;
    }
    hosted.translate(io::BufReader::new(io::stdin()), io::stdout())?;
    let facts = hosted.model.facts();
    match &args.facts {
        Some(path) => write_json(&facts, path)?,
        None => facts.cut_lines.map(cut).into_iter().for_each(say),
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

/// Warning of lines that were cut.
fn cut(lines: u64) -> String {
    let were = if lines == 1 { "line was" } else { "lines were" };
    format!(
        "warning: {lines} {were} too long and lost words; --split-lines 60 translates sentence by sentence"
    )
}

/// Prints the choices of the tuning. The model is open by now, so that `--tune` has completed the file.
fn explain(tuning: Option<&Path>) -> Outcome<()> {
    let tuning = tuning.ok_or_else(|| bad_input("--explain needs a tuning: add --tuning or --tune"))?;
    say(dyno_nn::kernel_settings::explain_tuning(tuning).map_err(bad_input)?.trim_end());
    Ok(())
}
