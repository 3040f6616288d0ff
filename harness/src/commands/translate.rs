//! `dyno translate`: a built-in backend, or a plugin, as a program.

use std::io::IsTerminal;
use std::path::Path;

use anyhow::Context;
use dyno_api::{Backend, Settings};
use dyno_plugin::Plugin;
use serde_json::{Value, json};

use crate::campaign::Track;
use crate::cli::{DecodingArgs, TranslateArgs};
use crate::exit::{OrBadInput, Outcome, bad_input};
use crate::say::say;
use crate::{registry, translate};

/// Hosts the backend until its input ends.
pub fn translate(args: TranslateArgs) -> Outcome {
    let track = args.track.unwrap_or_else(|| default_track(args.cores));
    if args.cores > 1 && track != Track::ThroughputAll {
        return Err(bad_input(format!(
            "track {track} is for one core: leave out --cores, or use throughput-all"
        )));
    }
    let plugin = args.plugin.as_deref().map(Plugin::load).transpose().or_bad_input()?;
    let backend = match &plugin {
        Some(plugin) => plugin,
        None => built_in(&args)?,
    };
    let manner = translate::Manner { batch: args.batch, n_best: args.decoding.n_best };
    let settings = settings(args.settings, &args.decoding)?;
    let model = backend.open(&args.models, &settings).or_bad_input()?;
    if args.explain {
        explain(args.decoding.tune.as_deref().or(args.decoding.tuning.as_deref()))?;
    }
    let exit = translate::host(&model, track, args.cores, manner)?;
    if let Some(path) = &args.facts {
        translate::write_json(&model.facts(), path)?;
    }
    if let Some(path) = &args.breakdown {
        translate::write_json(&model.breakdown().context("the breakdown")?, path)?;
    }
    Ok(exit)
}

/// What a tuning chose, once the model that completes it was opened.
fn explain(tuning: Option<&Path>) -> Outcome<()> {
    let tuning = tuning.ok_or_else(|| bad_input("--explain is about a tuning: add --tuning or --tune"))?;
    say(dyno_translator::explain_tuning(tuning).map_err(bad_input)?.trim_end());
    Ok(())
}

/// Who types wants an answer to each line; a file is best done as a whole.
fn default_track(cores: usize) -> Track {
    match cores {
        1 if std::io::stdin().is_terminal() => Track::Latency,
        1 => Track::Throughput1,
        _ => Track::ThroughputAll,
    }
}

/// The backend that was named, or the one that the models are for.
fn built_in(args: &TranslateArgs) -> Outcome<&'static dyn Backend> {
    if let Some(name) = &args.backend {
        return registry::find(name).map_err(bad_input);
    }
    if args.models.is_empty() {
        return Err(bad_input("name a model (--model), a backend (--backend) or a plugin (--plugin)"));
    }
    let remedy = || match args.models.iter().find(|model| !model.exists()) {
        Some(model) => format!("no model at {}", model.display()),
        None => {
            let models: Vec<_> = args.models.iter().map(|model| model.display().to_string()).collect();
            format!("no backend of this build suits {}; name one (--backend) to learn why", models.join(", "))
        }
    };
    registry::suiting(&args.models).ok_or_else(|| bad_input(remedy()))
}

/// The settings that were given with `--set`, and those that have options of their own.
fn settings(given: Vec<(String, Value)>, options: &DecodingArgs) -> Outcome<Settings> {
    let mut settings: Settings = given.into_iter().collect();
    let shortlist = options.shortlist.as_deref().map(shortlist).transpose()?;
    let options = [
        ("vocab", options.vocab.as_ref().map(|files| json!(files))),
        ("shortlist", shortlist),
        ("precision", options.precision.as_ref().map(|name| json!(name))),
        ("isa", options.isa.as_ref().map(|name| json!(name))),
        ("tuning", options.tuning.as_ref().map(|file| json!(file))),
        ("tune", options.tune.as_ref().map(|file| json!(file))),
        ("beam", options.beam.map(|beam| json!(beam))),
        ("normalize", options.normalize.map(|power| json!(power))),
        ("word-penalty", options.word_penalty.map(|penalty| json!(penalty))),
        ("max-length-factor", options.max_length_factor.map(|factor| json!(factor))),
        ("n-best", options.n_best.then_some(json!(true))),
    ];
    for (name, value) in options.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        if settings.insert(name.into(), value).is_some() {
            return Err(bad_input(format!("--{name} and --set {name}: give one of them")));
        }
    }
    Ok(settings)
}

/// A file, or a list of file and numbers.
fn shortlist(values: &[String]) -> Outcome<Value> {
    let (file, numbers) = values.split_first().ok_or_else(|| bad_input("--shortlist names no file"))?;
    let mut list = vec![json!(file)];
    for number in numbers {
        let parsed: Result<u64, _> = number.parse();
        list.push(json!(
            parsed.map_err(|_| bad_input(format!("--shortlist: {number:?} is no whole number")))?
        ));
    }
    Ok(Value::Array(list))
}
