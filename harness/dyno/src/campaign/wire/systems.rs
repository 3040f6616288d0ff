//! Systems in a campaign file.

use std::path::PathBuf;

use itertools::Itertools;
use toml::Spanned;

use super::launch::{launch, task};
use super::models::model_at;
use super::source::{Source, fine_name};
use super::system::WireSystem;
use super::{submissions, sweeps};
use crate::campaign::checked::Unbuilt;
use crate::campaign::entry::{self, Entry, words_fault};
use crate::campaign::generated::Generated;
use crate::exit::Outcome;
use dyno_record::Track;

/// Ends of the names of systems that dyno enters by itself: second entries, and the gate's baselines.
const RESERVED: [&str; 2] = [entry::TWIN, entry::BASELINE];

/// Systems to measure, and systems whose plugins aren't built.
pub(super) fn systems(
    source: &Source<'_>,
    wire: Vec<Spanned<WireSystem>>,
    generated: &[Generated],
    tracks: &[Track],
) -> Outcome<(Vec<Entry>, Vec<Unbuilt>)> {
    let (mut systems, mut unbuilt): (Vec<Entry>, Vec<_>) = (Vec::new(), Vec::new());
    for entry in wire {
        let wire = entry.get_ref();
        let plugin = wire.plugin.as_ref().map(|plugin| source.resolve(plugin.get_ref()));
        let to_build = wire.build.clone().filter(|_| plugin.is_some_and(|plugin| !plugin.exists()));
        refuse_reserved(source, &wire.name)?;
        let (name_span, own_tracks) = (wire.name.span(), wire.tracks.clone());
        let sizes = sweeps::batches(source, wire.batch.as_ref(), wire.batch_lines.as_ref())?;
        let entry = in_own_tracks(source, system(source, entry, generated)?, own_tracks, tracks)?;
        let entry = submissions::in_its_tracks(source, name_span.clone(), entry, tracks)?;
        let entries = sweeps::over_batches(entry, &sizes, tracks);
        match to_build {
            None => systems.extend(entries),
            Some(build) => unbuilt.extend(entries.into_iter().map(|entry| (entry, build.clone()))),
        }
        if let Some(second) = systems.iter().map(|system| &system.name).duplicates().next() {
            let message = format!("a second system named {second:?}: give each system its own name");
            return Err(source.error_at(name_span, message));
        }
    }
    Ok((systems, unbuilt))
}

/// `entry` in its `own` tracks, which must be among the campaign's.
fn in_own_tracks(
    source: &Source<'_>,
    entry: Entry,
    own: Option<Spanned<Vec<Track>>>,
    tracks: &[Track],
) -> Outcome<Entry> {
    let Some(own) = own else { return Ok(entry) };
    let known = |own: Vec<Track>| match own.iter().find(|track| !tracks.contains(track)) {
        Some(track) => Err(format!("the campaign has no track {track}: add it to `tracks` at the top")),
        None if own.is_empty() => Err("`tracks` is empty: name a track, or leave the key out".into()),
        None => Ok(own),
    };
    Ok(Entry { tracks: Some(source.check(own, known)?), ..entry })
}

/// Records and scores are found by name, so no system may have the name of another one's twin or baseline.
fn refuse_reserved(source: &Source<'_>, name: &Spanned<String>) -> Outcome<()> {
    source.check(name.clone(), |name| match RESERVED.into_iter().find(|end| name.ends_with(end)) {
        Some(end) => {
            Err(format!("dyno itself gives names that end in {end:?}: give the system {name:?} another name"))
        }
        None => Ok(()),
    })
}

fn system(source: &Source<'_>, entry: Spanned<WireSystem>, generated: &[Generated]) -> Outcome<Entry> {
    let span = entry.span();
    let wire = entry.into_inner();
    let name = source.check(wire.name.clone(), fine_name)?;
    if let Some(entry) = submissions::entry(source, &wire, &name, span.clone())? {
        return Ok(entry);
    }
    let mut absent = None;
    let named = wire.model.iter().chain(&wire.models);
    let models = named.map(|model| model_at(source, model, generated, &mut absent));
    let models = models.collect::<Outcome<Vec<_>>>()?;
    let launch = launch(source, &wire, span.clone(), &models)?;
    let task = task(source, &wire, &launch)?;
    let paths = wire.sandbox_paths.iter().map(|path| seen_in_sandbox(source, &wire, path));
    let sandbox_paths = paths.collect::<Outcome<Vec<_>>>()?;
    let environment = wire.environment.into_iter().collect();
    let (sampling, sandbox) = (wire.sampling, wire.sandbox);
    let own = Entry::new(&name, launch, models);
    let system = Entry { absent, environment, task, sampling, sandbox, sandbox_paths, ..own };
    match words_fault(&system) {
        Some(fault) => Err(source.error_at(span, format!("system {:?}: {fault}", system.name))),
        None => Ok(system),
    }
}

/// A path of `sandbox-paths`. One in the user's home begins with `~`.
fn seen_in_sandbox(source: &Source<'_>, wire: &WireSystem, path: &Spanned<PathBuf>) -> Outcome<PathBuf> {
    let home = || Some(std::env::home_dir()?.join(path.get_ref().strip_prefix("~").ok()?));
    let named = home().unwrap_or_else(|| path.get_ref().clone());
    wire.path(source, path.span(), &named, "file or folder for the sandbox")
}
