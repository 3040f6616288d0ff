//! The campaign file (TOML): reading and checking it gives a [`Campaign`].
//!
//! Every message names file, line and column, the fault, and its remedy.

mod launch;
mod metrics;
mod models;
mod prompts;
mod source;
mod submissions;
mod sweeps;
mod system;
mod systems;
mod test_sets;
mod tracks;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use metrics::{WireMetric, metrics};
use models::generated;
use prompts::{WirePrompt, prompts};
use source::{Source, fine_name};
use sweeps::OneOrMany;
use system::WireSystem;
use systems::systems;
use test_sets::{WireTestSet, test_sets};
use tracks::{WireTrack, tracks};

use dyno_measure::{Filler, Protocol, check_command};
use dyno_record::{Interleave, Limits, Probe, Profile};

use super::checked::{Campaign, MeterCommand};
use super::entry::Entry;
use super::suggestions::with_suggestion;
use crate::exit::Outcome;
use crate::output::warn_of_look_alikes;
use dyno_measure::os::MOST_CORES;
use dyno_provision::data::{self, REMEDY};

/// A host that disturbs this many rounds in a row won't give a quiet one soon.
const MOST_REPEATS: usize = 100;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WireCampaign {
    name: Option<Spanned<String>>,
    #[serde(default)]
    profile: Profile,
    #[serde(default = "one")]
    seed: u64,
    /// Number of cores of the tracks of several cores, or several numbers to sweep.
    cores: Option<Spanned<OneOrMany>>,
    /// Languages of sacrebleu's test sets, such as "en-de".
    languages: Option<String>,
    /// What language models are asked.
    prompt: Option<Spanned<WirePrompt>>,
    tracks: Option<Spanned<Vec<Spanned<WireTrack>>>>,
    /// Quality metrics, the frontier's first.
    metrics: Option<Spanned<Vec<Spanned<WireMetric>>>>,
    test_sets: Vec<Spanned<WireTestSet>>,
    line_seconds: Option<Spanned<f64>>,
    launch_seconds: Option<Spanned<f64>>,
    noisy_repeats: Option<Spanned<usize>>,
    /// Characters out for each character in, above which an answer runs away.
    runaway_factor: Option<Spanned<f64>>,
    /// MiB of memory that a system may hold.
    memory_mib: Option<Spanned<f64>>,
    /// File of lines that make throughput launches longer.
    filler: Option<Spanned<PathBuf>>,
    /// Program that answers each line with the joules so far.
    meter: Option<Spanned<Vec<String>>>,
    /// Probes before the timed rounds, instead of the profile's.
    probes: Option<Vec<Probe>>,
    /// Arrangement of the systems that are compared: in turns, or round after round.
    #[serde(default)]
    interleave: Interleave,
    /// Whether launches of lock-step read their models from the disk.
    #[serde(default)]
    cold_start: bool,
    /// Name of the system that gets a twin; the first system if absent.
    twin: Option<Spanned<String>>,
    /// Descriptions of models to draw, by name.
    #[serde(default)]
    generate: BTreeMap<String, Spanned<toml::Table>>,
    #[serde(rename = "system")]
    systems: Vec<Spanned<WireSystem>>,
}

fn one() -> u64 {
    1
}

/// Path of a campaign that ships with dyno, beside its models and test sets.
pub fn shipped(name: &str) -> Option<PathBuf> {
    data::shipped(Path::new(&format!("campaigns/{name}.toml")))
}

pub fn named_or_starter(named: Option<&Path>) -> Outcome<Campaign> {
    let found = named.map(Into::into).or_else(|| shipped("starter"));
    Campaign::load(&found.ok_or_else(|| bad_input!("the starter campaign is missing; {REMEDY}"))?)
}

impl Campaign {
    /// Reads and checks the campaign at `path`. Relative paths in the file start in the file's folder.
    pub fn load(path: &Path) -> Outcome<Self> {
        let text = dyno_api::files::read_to_string(path).map_err(|error| {
            let remedy = "give the path of a campaign file, or none for the starter campaign";
            bad_input!("can't read campaign {}: {error}; {remedy}", path.display())
        })?;
        let source = Source { path, text };
        let wire: WireCampaign = toml::from_str(&source.text).map_err(|error| {
            source.error_at(error.span().unwrap_or(0..0), with_suggestion(error.message()))
        })?;
        check(&source, wire)
    }
}

fn check(source: &Source<'_>, wire: WireCampaign) -> Outcome<Campaign> {
    let default = Limits::default();
    let runaway = default.runaway_factor();
    let few = |repeats: usize| match repeats <= MOST_REPEATS {
        true => Ok(repeats),
        false => Err(format!("`noisy-repeats` must lie between 0 and {MOST_REPEATS}")),
    };
    let limits = Limits {
        line_seconds: source.amount(wire.line_seconds, "line-seconds", default.line_seconds)?,
        launch_seconds: source.amount(wire.launch_seconds, "launch-seconds", default.launch_seconds)?,
        noisy_repeats: wire.noisy_repeats.map(|repeats| source.check(repeats, few)).transpose()?,
        runaway_factor: Some(source.amount(wire.runaway_factor, "runaway-factor", runaway)?),
        memory_mib: wire.memory_mib.map(|most| source.amount(Some(most), "memory-mib", 0.0)).transpose()?,
    };
    let generated = generated(source, wire.generate)?;
    let (tracks, load) = tracks(source, wire.tracks)?;
    let cores = sweeps::values(source, wire.cores.as_ref(), "cores", MOST_CORES)?;
    let (mut systems, unbuilt) = systems(source, wire.systems, &generated, &tracks)?;
    prompts(source, wire.prompt, wire.languages.as_deref(), &mut systems)?;
    sweeps::over_cores(&mut systems, &cores, &tracks);
    let twin = twin(source, wire.twin, &systems)?;
    warn_of_look_alikes(&systems.iter().map(|system| system.name.as_str()).collect::<Vec<_>>());
    let (test_sets, targets) = test_sets(source, wire.test_sets, wire.languages.as_deref())?;
    warn_of_look_alikes(&test_sets.iter().map(|set| set.name.as_str()).collect::<Vec<_>>());
    Ok(Campaign {
        name: name(source, wire.name)?,
        names_probes: wire.probes.is_some(),
        protocol: Protocol {
            profile: wire.profile,
            seed: wire.seed,
            limits,
            load: load.limit,
            clients: load.clients,
            arrivals: load.arrivals,
            probes: wire.probes.unwrap_or_else(|| wire.profile.probes().to_vec()),
            filler: filler(source, wire.filler)?,
            interleave: wire.interleave,
            cold_start: wire.cold_start,
        },
        cores: cores.into_iter().max(),
        systems,
        unbuilt,
        absent: Vec::new(),
        generated,
        twin,
        shard: None,
        meter: meter(source, wire.meter)?,
        metrics: metrics(source, wire.metrics, targets)?,
        test_sets,
        tracks,
    })
}

/// Name in the campaign file, else the name of the file.
fn name(source: &Source<'_>, name: Option<Spanned<String>>) -> Outcome<String> {
    if let Some(name) = name {
        return source.check(name, fine_name);
    }
    let stem = source.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    fine_name(stem)
        .map_err(|fault| source.error_at(0..0, format_args!("{fault}; give the campaign a `name`")))
}

fn meter(source: &Source<'_>, command: Option<Spanned<Vec<String>>>) -> Outcome<Option<MeterCommand>> {
    let Some(command) = command else { return Ok(None) };
    let folder = source.folder()?;
    check_command(command.get_ref(), &folder).map_err(|fault| source.error_at(command.span(), fault))?;
    Ok(Some(MeterCommand { command: command.into_inner(), folder }))
}

fn twin(source: &Source<'_>, twin: Option<Spanned<String>>, systems: &[Entry]) -> Outcome<Option<String>> {
    let known = |name: String| match systems.iter().any(|system| system.name == name) {
        true => Ok(name),
        false => Err(format!("`twin`: no system {name:?}; give the name of a system")),
    };
    twin.map(|twin| source.check(twin, known)).transpose()
}

fn filler(source: &Source<'_>, path: Option<Spanned<PathBuf>>) -> Outcome<Option<Filler>> {
    path.map(|path| source.check(path, |path| Filler::read(&source.resolve(&path)))).transpose()
}
