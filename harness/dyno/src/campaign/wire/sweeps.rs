//! Sweeps: a setting with a list of values makes a system for each value, so that tables and charts show what
//! the setting does.

use dyno_host::MOST_BATCH;
use dyno_record::Track;
use dyno_record::identity::BatchSize;
use itertools::Itertools;
use serde::Deserialize;
use toml::Spanned;

use super::source::Source;
use crate::campaign::entry::{Entry, Launch};
use crate::exit::Outcome;

/// A number, or a list of numbers to sweep.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number or a list of numbers")]
pub(super) enum OneOrMany {
    One(usize),
    Many(Vec<usize>),
}

impl OneOrMany {
    fn values(&self) -> &[usize] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }
}

/// Values of `wire`, each between 1 and `most` and once.
pub(super) fn values(
    source: &Source<'_>,
    wire: Option<&Spanned<OneOrMany>>,
    name: &str,
    most: usize,
) -> Outcome<Vec<usize>> {
    let Some(wire) = wire else { return Ok(Vec::new()) };
    let values = wire.get_ref().values();
    let fault = match () {
        () if values.is_empty() => format!("`{name}` is empty: give a number or several"),
        () if values.iter().any(|value| !(1..=most).contains(value)) => {
            format!("`{name}` must lie between 1 and {most}")
        }
        () if !values.iter().all_unique() => format!("`{name}` has a number twice: give each once"),
        () => return Ok(values.to_vec()),
    };
    Err(source.error_at(wire.span(), fault))
}

/// Sizes of a system's batches: of `batch` in words, or of `batch-lines`.
pub(super) fn batches(
    source: &Source<'_>,
    words: Option<&Spanned<OneOrMany>>,
    lines: Option<&Spanned<OneOrMany>>,
) -> Outcome<Vec<BatchSize>> {
    if let (Some(_), Some(lines)) = (words, lines) {
        let message = "`batch` counts words and `batch-lines` lines: use one of them";
        return Err(source.error_at(lines.span(), message));
    }
    let of_words = values(source, words, "batch", MOST_BATCH)?.into_iter().map(BatchSize::Words);
    let of_lines = values(source, lines, "batch-lines", MOST_BATCH)?.into_iter().map(BatchSize::of_lines);
    Ok(of_words.chain(of_lines).collect())
}

/// The systems of a sweep over sizes of batches; `entry` itself if there is at most one. Only the first takes
/// part where one line comes at a time: batches change nothing there.
pub(super) fn over_batches(entry: Entry, sizes: &[BatchSize], tracks: &[Track]) -> Vec<Entry> {
    let sized = |size: BatchSize| {
        let mut entry = entry.clone();
        match &mut entry.launch {
            Launch::BuiltIn { batch, .. } | Launch::Plugin { batch, .. } => *batch = Some(size),
            Launch::Adapter(adapter) => adapter.launch.batch = Some(size),
            Launch::Submission(submission) => match size {
                BatchSize::Lines { lines } => submission.launch.batch_lines = lines,
                BatchSize::Words(_) => {}
            },
            Launch::Foreign { .. } => {}
        }
        entry
    };
    let [first, _, ..] = sizes else {
        return vec![sizes.first().map_or_else(|| entry.clone(), |size| sized(*size))];
    };
    let is_in_files = |track: &Track| !track.is_lockstep() && entry.takes_part(*track);
    let in_files: Vec<Track> = tracks.iter().copied().filter(is_in_files).collect();
    let of = |size: &BatchSize| {
        let name = match size {
            BatchSize::Words(words) => format!("{} batch {words}", entry.name),
            BatchSize::Lines { lines } => format!("{} {lines}-line batch", entry.name),
        };
        let tracks = if size == first { entry.tracks.clone() } else { Some(in_files.clone()) };
        Entry { name, tracks, sweep: Some(entry.name.clone()), ..sized(*size) }
    };
    sizes.iter().map(of).collect()
}

/// Adds the systems of a sweep over numbers of cores. Each system uses the greatest number under its own name;
/// the others take part in the tracks of several cores alone.
pub(super) fn over_cores(systems: &mut Vec<Entry>, cores: &[usize], tracks: &[Track]) {
    let most = cores.iter().max().copied();
    let fewer: Vec<usize> = cores.iter().copied().filter(|cores| Some(*cores) != most).collect();
    let several: Vec<Track> = tracks.iter().copied().filter(|track| track.has_several_cores()).collect();
    if fewer.is_empty() || several.is_empty() {
        return;
    }
    let on = |entry: &Entry, cores: usize| Entry {
        name: format!("{} on {cores} {}", entry.name, if cores == 1 { "core" } else { "cores" }),
        tracks: Some(several.iter().copied().filter(|track| entry.takes_part(*track)).collect()),
        cores: Some(cores),
        sweep: Some(entry.name.clone()),
        ..entry.clone()
    };
    let swept = std::mem::take(systems);
    for entry in swept {
        let parts: Vec<Entry> = fewer.iter().map(|&cores| on(&entry, cores)).collect();
        systems.push(entry);
        systems.extend(parts);
    }
}
