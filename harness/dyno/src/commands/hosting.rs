//! Opens a backend for hosting, with the options that `dyno translate` and `dyno breakdown` share.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dyno_api::{Backend, Model, Settings, THREADS, WATCH};
use dyno_host::{OutputOptions, batch_of, registry};
use dyno_measure::os::give_back_code;
use dyno_plugin::Plugin;
use dyno_record::Track;
use dyno_record::identity::BatchSize;
use itertools::Itertools;
use serde_json::{Value, json};

use crate::cli::engines::{DecodingArgs, HostedArgs};
use crate::exit::{OrBadInput, Outcome, bad_input};

/// Open backend, and the protocol by which it gets lines.
pub struct Hosted {
    pub model: Arc<dyn Model>,
    pub track: Track,
    pub cores: usize,
    pub options: OutputOptions,
    /// Tuning file, if one was given or made.
    pub tuning: Option<PathBuf>,
}

impl Hosted {
    /// Opens the backend and the models of `args`. If `watched`, a backend that can account for its time does
    /// so.
    pub fn open(args: HostedArgs, watched: bool) -> Outcome<Self> {
        let track = args.track.unwrap_or_else(|| default_track(args.cores));
        if args.cores > 1 && !track.has_several_cores() {
            let wide = Track::ALL.iter().filter(|track| track.has_several_cores()).join(", ");
            refuse!("track {track} uses one core: leave out --cores, or use one of these tracks: {wide}");
        }
        let plugin = args.plugin.as_deref().map(Plugin::load).transpose().or_bad_input()?;
        let backend = match &plugin {
            Some(plugin) => plugin,
            None => built_in(args.backend.as_deref(), &args.models)?,
        };
        let mut settings = settings(args.settings, &args.decoding)?;
        if watched && backend.watches() {
            settings.insert(WATCH.into(), json!(true));
        }
        if track.has_one_line() && args.cores > 1 {
            share_lines(backend, track, args.cores, &mut settings);
        }
        let model = backend.open(&args.models, &settings).or_bad_input()?;
        let named = args.batch.map(BatchSize::Words).or(args.batch_lines.map(BatchSize::of_lines));
        let batch = named.unwrap_or_else(|| batch_of(model.as_ref()));
        let options = OutputOptions { batch, n_best: args.decoding.n_best };
        let tuning = args.decoding.tune.or(args.decoding.tuning);
        give_back_code(); // that of options, configurations and loading doesn't run again
        Ok(Self { model, track, cores: args.cores, options, tuning })
    }
}

/// Lets `cores` threads work on each line, if the backend can; else, as for a plugin, says that one does.
fn share_lines(backend: &dyn Backend, track: Track, cores: usize, settings: &mut Settings) {
    if backend.shares_lines() {
        settings.entry(THREADS.to_owned()).or_insert_with(|| json!(cores));
    } else {
        say!("note: {} works on each line with one core, so {track} gains nothing", backend.name());
    }
}

/// Terminals default to the latency track, files and pipes to throughput.
fn default_track(cores: usize) -> Track {
    match cores {
        1 if io::stdin().is_terminal() => Track::Latency,
        1 => Track::Throughput1,
        _ => Track::ThroughputAll,
    }
}

/// Backend of this name, or the one that suits the models.
pub fn built_in(name: Option<&str>, models: &[PathBuf]) -> Outcome<&'static dyn Backend> {
    match name {
        Some(name) => registry::find(name).map_err(bad_input),
        None if models.is_empty() => {
            Err(bad_input("name a model (--model), a backend (--backend) or a plugin (--plugin)"))
        }
        None => registry::suiting(models).map_err(bad_input),
    }
}

/// Settings given with `--set`, and those given with options of their own.
fn settings(given: Vec<(String, Value)>, options: &DecodingArgs) -> Outcome<Settings> {
    let mut settings: Settings = given.into_iter().collect();
    let own = serde_json::to_value(options).and_then(serde_json::from_value::<Settings>).or_bad_input()?;
    let shortlist = options.shortlist.as_deref().map(shortlist).transpose()?;
    let shortlist = shortlist.map(|(file, numbers)| {
        let list = [json!(file)].into_iter().chain(numbers.into_iter().map(Value::from));
        ("shortlist".to_owned(), list.collect())
    });
    let own = own.into_iter().chain(shortlist);
    for (name, value) in own.filter(|(_, value)| !value.is_null() && *value != false) {
        if settings.insert(name.clone(), value).is_some() {
            refuse!("--{name} and --set {name} set the same: use one of them");
        }
    }
    Ok(settings)
}

/// File and numbers of `--shortlist`.
pub fn shortlist(values: &[String]) -> Outcome<(&Path, Vec<usize>)> {
    let (file, numbers) = values.split_first().ok_or_else(|| bad_input("--shortlist needs a file"))?;
    let number =
        |text: &String| text.parse().map_err(|_| bad_input!("--shortlist: {text:?} is not a whole number"));
    Ok((file.as_ref(), numbers.iter().map(number).collect::<Outcome<_>>()?))
}
