//! The buffering probe: whether the system answers each line before it gets the next one.
//!
//! `process::silence` finds the cause of a missing answer, here as in every round.

use dyno_record::Track;

use super::examinee::{Examinee, NO_LINE_TRACK};
use super::finding::ProbeOutcome;
use super::lines;
use crate::error::Result;

/// Number of lines in a row. Some systems fall behind only now and then, or only after a while.
const LINES: usize = 400;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    ProbeOutcome::in_each(examinee.line_tracks(), NO_LINE_TRACK, |track| in_track(examinee, track))
}

fn in_track(examinee: &Examinee<'_>, track: Track) -> Result<ProbeOutcome> {
    let replies = examinee.ask_a_while(track, &lines::ordinary(examinee, LINES, "buffering"))?;
    let answered = replies.answers.len();
    if !replies.reasons.is_empty() {
        return Ok(ProbeOutcome::failed(track, replies.reasons));
    }
    let start = replies.start_ns.unwrap_or(0) as f64 / 1e6;
    Ok(ProbeOutcome::note(format!(
        "{answered} lines answered one by one, the first {start:.0} ms after launch"
    )))
}
