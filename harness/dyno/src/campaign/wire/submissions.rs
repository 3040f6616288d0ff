//! Submissions in a campaign file: the keys `submission`, `dialect` and `pair` of a system.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use dyno_measure::Track;
use dyno_record::identity::SandboxChoice;
use toml::Spanned;

use super::source::Source;
use crate::campaign::entry::{Entry, Launch, words_fault};
use crate::exit::Outcome;
use crate::output::say;
use crate::submission::{BATCH_LINES, Dialect, Submission, is_image};

/// Keys of a system in the file, as far as they matter to a submission.
pub(super) struct Keys<'a> {
    /// Folder of the submission, or the name of its image.
    pub(super) folder: Option<&'a Spanned<PathBuf>>,
    /// Dialect of the submission.
    pub(super) dialect: Option<Dialect>,
    /// Language pair, in the task's own words.
    pub(super) pair: Option<&'a str>,
    /// Whether there is a size of batches.
    pub(super) has_batch_lines: bool,
    /// Variables of the environment.
    pub(super) environment: &'a BTreeMap<String, String>,
    /// Whether the answers are drawn at random.
    pub(super) sampling: bool,
    /// Whether the system runs in a sandbox.
    pub(super) sandbox: Option<SandboxChoice>,
    /// First key that a submission may not have.
    pub(super) other: Option<&'static str>,
}

/// The system `name` that `keys` describe, if it is a submission.
pub(super) fn entry(
    source: &Source<'_>,
    keys: &Keys<'_>,
    name: &str,
    span: Range<usize>,
) -> Outcome<Option<Entry>> {
    let Some(folder) = keys.folder else {
        let alien = keys.dialect.map(|_| "dialect").or(keys.pair.map(|_| "pair"));
        let refused = |key| source.error_at(span, format!("`{key}` needs a `submission`: add its folder"));
        return alien.map_or(Ok(None), |key| Err(refused(key)));
    };
    let fault = |message: &str| Err(source.error_at(span.clone(), format!("system {name:?}: {message}")));
    if let Some(key) = keys.other {
        return fault(&format!("a submission brings its own `{key}`: leave this key out"));
    }
    if keys.sandbox == Some(SandboxChoice::None) {
        return fault("a submission runs in the sandbox: leave `sandbox` out");
    }
    let Some(dialect) = keys.dialect else {
        return fault("a submission needs a `dialect`: add \"wmt22\", \"wmt25\" or \"wmt26\"");
    };
    let path = folder.get_ref();
    let path = if is_image(path) { path.clone() } else { source.resolve(path) };
    let lines = keys.has_batch_lines.then_some(BATCH_LINES);
    let submission = Submission::open(&path, dialect, keys.pair.map(Into::into), lines)
        .map_err(|fault| source.error_at(folder.span(), format!("{:#}", fault.error)))?;
    let entry = Entry {
        environment: keys.environment.clone().into_iter().collect(),
        sampling: keys.sampling,
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
        let message = format!("system {name:?}: the dialect {} has no {missing}; {remedy}", dialect.name);
        return Err(source.error_at(span, message));
    }
    if !missing.is_empty() {
        say(format_args!(
            "{name} isn't measured in {missing}: its dialect {} has no such track",
            dialect.name
        ));
    }
    Ok(Entry { tracks: Some(own), ..entry })
}
