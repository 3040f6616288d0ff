//! Submissions in a campaign file: the keys `submission`, `dialect` and `pair` of a system.

use std::ops::Range;

use dyno_record::Track;
use dyno_record::identity::SandboxChoice;

use super::source::Source;
use super::system::WireSystem;
use crate::campaign::entry::{Entry, Launch, words_fault};
use crate::exit::Outcome;
use crate::submission::{BATCH_LINES, Submission, image_of};

/// First key of `wire` that a submission may not have.
fn other_key(wire: &WireSystem) -> Option<&'static str> {
    let others = [
        ("backend", wire.backend.is_some()),
        ("plugin", wire.plugin.is_some()),
        ("command", wire.command.is_some()),
        ("adapter", wire.adapter.is_some()),
        ("model", wire.model.is_some()),
        ("models", !wire.models.is_empty()),
        ("build", wire.build.is_some()),
        ("batch", wire.batch.is_some()),
        ("settings", !wire.settings.is_empty()),
        ("sandbox-paths", !wire.sandbox_paths.is_empty()),
    ];
    others.into_iter().find_map(|(key, is_there)| is_there.then_some(key))
}

/// The system `name` that `wire` describes, if it is a submission.
pub(super) fn entry(
    source: &Source<'_>,
    wire: &WireSystem,
    name: &str,
    span: Range<usize>,
) -> Outcome<Option<Entry>> {
    let Some(folder) = &wire.submission else {
        let alien = wire.dialect.map(|_| "dialect").or(wire.pair.as_ref().map(|_| "pair"));
        let refused = |key| source.error_at(span, format!("`{key}` needs a `submission`: add its folder"));
        return alien.map_or(Ok(None), |key| Err(refused(key)));
    };
    let fault = |message: &str| Err(source.error_at(span.clone(), format!("system {name:?}: {message}")));
    if let Some(key) = other_key(wire) {
        return fault(&format!("a submission brings its own `{key}`: leave this key out"));
    }
    if wire.sandbox == Some(SandboxChoice::None) {
        return fault("a submission runs in the sandbox: leave `sandbox` out");
    }
    let Some(dialect) = wire.dialect else {
        return fault("a submission needs a `dialect`: add \"wmt22\", \"wmt25\" or \"wmt26\"");
    };
    let path = folder.get_ref();
    let path = if image_of(path).is_some() { path.clone() } else { source.resolve(path) };
    let lines = wire.batch_lines.is_some().then_some(BATCH_LINES);
    let submission = Submission::open(&path, dialect, wire.pair.clone(), lines)
        .map_err(|fault| source.error_at(folder.span(), format!("{:#}", fault.error)))?;
    let entry = Entry {
        environment: wire.environment.clone().into_iter().collect(),
        sampling: wire.sampling,
        ..Entry::of_submission(name, submission)
    };
    words_fault(&entry).map_or(Ok(Some(entry)), |told| fault(&told))
}

/// `entry` in those of `tracks` that its dialect has, if it is a submission. The others are said.
pub(super) fn in_its_tracks(
    source: &Source<'_>,
    span: Range<usize>,
    entry: Entry,
    tracks: &[Track],
) -> Outcome<Entry> {
    let Launch::Submission(submission) = &entry.launch else { return Ok(entry) };
    let (name, dialect) = (&entry.name, submission.dialect);
    let (own, missing): (Vec<Track>, Vec<Track>) =
        tracks.iter().partition(|track| dialect.tracks.contains(track));
    let missing = missing.iter().map(|track| track.name()).collect::<Vec<_>>().join(", ");
    if own.is_empty() {
        let remedy = "add throughput-1 or throughput-all to `tracks`";
        let message = format!("system {name:?}: the dialect {dialect} has no {missing}; {remedy}");
        return Err(source.error_at(span, message));
    }
    if !missing.is_empty() {
        say!("{name} isn't measured in {missing}: its dialect {dialect} has no such track");
    }
    Ok(Entry { tracks: Some(own), ..entry })
}
