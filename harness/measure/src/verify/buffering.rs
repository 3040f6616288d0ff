//! The buffering probe: whether the system answers each line before it gets the next one.
//!
//! `process::silence` finds the cause of a missing answer, here as in every round.

use super::examinee::NO_LINE_TRACK;
use super::{Examinee, ProbeOutcome, lines};
use crate::error::Result;

/// Number of lines in a row. Some systems fall behind only now and then, or only after a while.
const LINES: usize = 400;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    ProbeOutcome::in_each(examinee.line_tracks(), NO_LINE_TRACK, |track, outcome| {
        let replies = examinee.ask_a_while(track, &lines::ordinary(examinee, LINES, "buffering"))?.sound()?;
        let (answered, start) = (replies.answers.len(), replies.start_ns.unwrap_or(0) as f64 / 1e6);
        outcome.figure =
            format!("{answered} lines answered one by one, the first {start:.0} ms after launch");
        Ok(())
    })
}
