//! The sameness probe: whether the tracks' texts are the same, line by line.

use super::{Examinee, ProbeOutcome, lines};
use crate::error::Result;
use crate::judge::answers::Comparison;
use crate::process::failed::broken;

/// Number of lines that are compared.
const LINES: usize = 150;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    let [first, others @ ..] = examinee.tracks.as_slice() else { return Ok(ProbeOutcome::default()) };
    if others.is_empty() {
        return Ok(ProbeOutcome::note("only one track"));
    }
    let lines = examinee.affordable(lines::ordinary(examinee, LINES, "sameness"))?;
    let figure = format!("{} lines have one text in all tracks", lines.len());
    let (expected, failed) = broken(examinee.answers(*first, &lines))?;
    if !failed.is_empty() {
        let mut outcome = ProbeOutcome::note(figure);
        outcome.add(*first, failed);
        return Ok(outcome);
    }
    let outcome = ProbeOutcome::in_each(others.iter().copied(), "", |track, outcome| {
        let answers = examinee.answers(track, &lines)?;
        let comparison = Comparison::of_system(examinee.system, &lines, &expected, &answers);
        outcome.add(track, comparison.misplaced().or_else(|| comparison.tracks_differ()));
        Ok(())
    })?;
    Ok(ProbeOutcome { figure, ..outcome })
}
