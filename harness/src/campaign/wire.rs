//! The campaign file as people write it (TOML), and its way into a checked [`Campaign`]. Every complaint says
//! file, line and column, what was wrong, and what would be right.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::{Campaign, Filler, Launch, Limits, Profile, System, TestSet, Track, system, testset};
use crate::exit::{Failure, Outcome, bad_input};
use crate::registry;
use crate::verify::Probe;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WireCampaign {
    name: Option<Spanned<String>>,
    #[serde(default = "quick")]
    profile: Profile,
    #[serde(default = "one")]
    seed: u64,
    cores: Option<Spanned<usize>>,
    /// Of sacrebleu's test sets, such as "en-de".
    languages: Option<String>,
    tracks: Option<Spanned<Vec<Track>>>,
    test_sets: Vec<Spanned<WireTestSet>>,
    #[serde(default)]
    line_seconds: Option<Spanned<f64>>,
    launch_seconds: Option<Spanned<f64>>,
    noisy_repeats: Option<usize>,
    /// A file of lines that lengthen throughput launches.
    filler: Option<Spanned<PathBuf>>,
    /// What is probed before the clock, instead of what the profile says.
    probes: Option<Vec<Probe>>,
    /// The system that is entered twice; the first if absent.
    twin: Option<Spanned<String>>,
    #[serde(rename = "system")]
    systems: Vec<Spanned<WireSystem>>,
}

fn quick() -> Profile {
    Profile::Quick
}

fn one() -> u64 {
    1
}

/// A name or folder, or plain files.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a test set is a folder, a sacrebleu name, or { name, source, references }")]
enum WireTestSet {
    Named(String),
    Files(WireFiles),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireFiles {
    name: String,
    source: PathBuf,
    #[serde(default)]
    references: Vec<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WireSystem {
    name: Spanned<String>,
    backend: Option<Spanned<String>>,
    plugin: Option<Spanned<PathBuf>>,
    command: Option<Spanned<Vec<String>>>,
    model: Option<Spanned<PathBuf>>,
    #[serde(default)]
    models: Vec<Spanned<PathBuf>>,
    #[serde(default)]
    settings: dyno_api::Settings,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    sampling: bool,
}

/// The file's text, for turning byte positions into lines and columns.
struct Source<'a> {
    path: &'a Path,
    text: String,
}

impl Source<'_> {
    fn complaint(&self, span: Range<usize>, message: impl Display) -> Failure {
        let before = &self.text[..span.start.min(self.text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        bad_input(format!("{}:{line}:{column}: {message}", self.path.display()))
    }

    /// A path in the file, from the file's own folder.
    fn resolve(&self, path: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }

    fn above_zero(&self, value: Option<Spanned<usize>>, name: &str) -> Outcome<Option<usize>> {
        match value {
            Some(value) if *value.get_ref() == 0 => {
                Err(self.complaint(value.span(), format!("`{name}` must be above zero")))
            }
            value => Ok(value.map(Spanned::into_inner)),
        }
    }

    /// Up to eleven days: beyond it nobody waits, and a clock may not hold it.
    fn seconds(&self, value: Option<Spanned<f64>>, name: &str, default: f64) -> Outcome<f64> {
        let Some(value) = value else { return Ok(default) };
        if *value.get_ref() > 0.0 && *value.get_ref() <= 1e6 {
            return Ok(*value.get_ref());
        }
        Err(self.complaint(value.span(), format!("`{name}` must be above 0 and at most 1,000,000")))
    }
}

/// Reads and checks the campaign at `path`.
pub(super) fn load(path: &Path) -> Outcome<Campaign> {
    let text = fs::read_to_string(path)
        .map_err(|error| bad_input(format!("can't read campaign {}: {error}", path.display())))?;
    let source = Source { path, text };
    let wire: WireCampaign = toml::from_str(&source.text).map_err(|error| {
        let message = error.message().lines().collect::<Vec<_>>().join("; ");
        source.complaint(error.span().unwrap_or(0..0), message)
    })?;
    check(&source, wire)
}

fn check(source: &Source<'_>, wire: WireCampaign) -> Outcome<Campaign> {
    let default = Limits::default();
    let limits = Limits {
        line_seconds: source.seconds(wire.line_seconds, "line-seconds", default.line_seconds)?,
        launch_seconds: source.seconds(wire.launch_seconds, "launch-seconds", default.launch_seconds)?,
        noisy_repeats: wire.noisy_repeats,
    };
    let systems = systems(source, wire.systems)?;
    twin_fault(source, wire.twin.as_ref(), &systems)?;
    Ok(Campaign {
        name: name(source, wire.name)?,
        profile: wire.profile,
        seed: wire.seed,
        cores: source.above_zero(wire.cores, "cores")?,
        limits,
        systems,
        twin: wire.twin.map(Spanned::into_inner),
        own_probes: wire.probes,
        filler: filler(source, wire.filler)?,
        test_sets: test_sets(source, wire.test_sets, wire.languages.as_deref())?,
        tracks: tracks(source, wire.tracks)?,
    })
}

/// Names become parts of folder names and lines of tables.
fn name_fault(name: &str) -> Option<String> {
    let odd = |c: char| c.is_control() || c == '/' || c == '\\';
    let fine =
        !name.is_empty() && !name.starts_with('.') && name.chars().count() <= 60 && !name.contains(odd);
    let rule = "a name has 1 to 60 characters, no slash, no control character, and no dot at its start";
    (!fine).then(|| format!("{name:?} won't do as a name: {rule}"))
}

fn checked_name(source: &Source<'_>, name: &Spanned<String>) -> Outcome<String> {
    match name_fault(name.get_ref()) {
        Some(fault) => Err(source.complaint(name.span(), fault)),
        None => Ok(name.get_ref().clone()),
    }
}

/// The campaign's own name, else its file's.
fn name(source: &Source<'_>, name: Option<Spanned<String>>) -> Outcome<String> {
    let Some(name) = name else {
        let stem = source.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let remedy = "give the campaign a `name`";
        return name_fault(&stem)
            .map_or(Ok(stem), |fault| Err(source.complaint(0..0, format!("{fault}; {remedy}"))));
    };
    checked_name(source, &name)
}

fn tracks(source: &Source<'_>, tracks: Option<Spanned<Vec<Track>>>) -> Outcome<Vec<Track>> {
    let Some(tracks) = tracks else { return Ok(Track::ALL.to_vec()) };
    let mut sorted = tracks.get_ref().clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() != tracks.get_ref().len() || sorted.is_empty() {
        return Err(source.complaint(tracks.span(), "list each track once, and at least one"));
    }
    Ok(sorted)
}

fn systems(source: &Source<'_>, wire: Vec<Spanned<WireSystem>>) -> Outcome<Vec<System>> {
    let mut systems: Vec<System> = Vec::new();
    for entry in wire {
        let name_span = entry.get_ref().name.span();
        let system = system(source, entry)?;
        if systems.iter().any(|other| other.name == system.name) {
            return Err(source.complaint(name_span, format!("a second system named {:?}", system.name)));
        }
        systems.push(system);
    }
    Ok(systems)
}

fn system(source: &Source<'_>, entry: Spanned<WireSystem>) -> Outcome<System> {
    let span = entry.span();
    let wire = entry.into_inner();
    let name = checked_name(source, &wire.name)?;
    let models = models(source, wire.model, wire.models)?;
    let launch = match (wire.backend, wire.plugin, wire.command) {
        (Some(backend), None, None) => {
            registry::find(backend.get_ref()).map_err(|m| source.complaint(backend.span(), m))?;
            Launch::BuiltIn { backend: backend.into_inner(), settings: wire.settings }
        }
        (None, Some(plugin), None) => {
            Launch::Plugin { library: existing(source, &plugin, "plugin")?, settings: wire.settings }
        }
        (None, None, Some(command)) if wire.settings.is_empty() => {
            let folder = source.resolve(Path::new("."));
            system::check_command(command.get_ref(), &folder)
                .map_err(|m| source.complaint(command.span(), format!("system {name:?}: {m}")))?;
            Launch::Foreign { command: command.into_inner(), folder }
        }
        (None, None, Some(command)) => {
            let message = "settings belong to backends: write a command's options into the command";
            return Err(source.complaint(command.span(), message));
        }
        _ => {
            let message = format!("system {name:?} needs one of `backend`, `plugin` and `command`");
            return Err(source.complaint(span, message));
        }
    };
    let environment = wire.environment.into_iter().collect();
    Ok(System { name, launch, models, environment, sampling: wire.sampling, twin_of: None })
}

/// A system that no campaign holds: one backend or one shell command, as `dyno verify` is asked about.
pub fn own_system(name: &str, launch: Launch, models: Vec<PathBuf>) -> System {
    let name = name.into();
    System { name, launch, models, environment: Vec::new(), sampling: false, twin_of: None }
}

fn twin_fault(source: &Source<'_>, twin: Option<&Spanned<String>>, systems: &[System]) -> Outcome<()> {
    let unknown = |name: &&Spanned<String>| systems.iter().all(|system| system.name != *name.get_ref());
    match twin.filter(unknown) {
        Some(name) => Err(source.complaint(name.span(), format!("`twin`: no system {:?}", name.get_ref()))),
        None => Ok(()),
    }
}

fn filler(source: &Source<'_>, path: Option<Spanned<PathBuf>>) -> Outcome<Option<Filler>> {
    let read = |path: Spanned<PathBuf>| {
        testset::filler(&source.resolve(path.get_ref())).map_err(|m| source.complaint(path.span(), m))
    };
    path.map(read).transpose()
}

fn models(
    source: &Source<'_>,
    model: Option<Spanned<PathBuf>>,
    models: Vec<Spanned<PathBuf>>,
) -> Outcome<Vec<PathBuf>> {
    model.iter().chain(&models).map(|path| existing(source, path, "model")).collect()
}

/// The absolute path of something that is there; `what` names it where it isn't.
fn existing(source: &Source<'_>, path: &Spanned<PathBuf>, what: &str) -> Outcome<PathBuf> {
    let resolved = source.resolve(path.get_ref());
    let found = std::path::absolute(&resolved).ok().filter(|path| path.exists());
    found.ok_or_else(|| source.complaint(path.span(), format!("no {what} at {}", resolved.display())))
}

fn test_sets(
    source: &Source<'_>,
    wire: Vec<Spanned<WireTestSet>>,
    languages: Option<&str>,
) -> Outcome<Vec<TestSet>> {
    let mut test_sets: Vec<TestSet> = Vec::new();
    for entry in wire {
        let span = entry.span();
        let loaded = match entry.into_inner() {
            WireTestSet::Named(name) => named(source, &name, languages),
            WireTestSet::Files(files) => from_files(source, &files),
        };
        let test_set = loaded.map_err(|message| source.complaint(span.clone(), message))?;
        if test_sets.iter().any(|other| other.name == test_set.name) {
            return Err(source.complaint(span, format!("a second test set named {:?}", test_set.name)));
        }
        test_sets.push(test_set);
    }
    Ok(test_sets)
}

fn from_files(source: &Source<'_>, files: &WireFiles) -> Result<TestSet, String> {
    if let Some(fault) = name_fault(&files.name) {
        return Err(fault);
    }
    let references: Vec<_> = files.references.iter().map(|path| source.resolve(path)).collect();
    testset::from_files(&files.name, &source.resolve(&files.source), &references)
}

fn named(source: &Source<'_>, name: &str, languages: Option<&str>) -> Result<TestSet, String> {
    let folder = source.resolve(Path::new(name));
    if folder.is_dir() {
        return testset::from_folder(&folder);
    }
    match languages {
        Some(languages) if testset::may_be_sacrebleu(name) => testset::from_sacrebleu(name, languages),
        None if testset::may_be_sacrebleu(name) => Err(format!(
            "no folder {}; if {name:?} is one of sacrebleu's test sets, add languages = \"en-de\" (or others) at the top",
            folder.display()
        )),
        _ => Err(format!("no test set folder at {}", folder.display())),
    }
}
