//! The determinism probe: whether two launches over the same lines give the same text. In lock-step the
//! second launch has another order, as the next round will.

use super::{Examinee, ProbeOutcome, lines};
use crate::error::Result;

/// Number of lines that are compared.
const LINES: usize = 150;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    let lines = examinee.affordable(lines::ordinary(examinee, LINES, "determinism"))?;
    let outcome = ProbeOutcome::in_each(examinee.tracks.iter().copied(), "", |track, outcome| {
        let order = match track.answers_lines() {
            true => examinee.random("the next round").permutation(lines.len()),
            false => (0..lines.len()).collect(),
        };
        let comparison = examinee.compare_with_order(track, &lines, &order)?;
        outcome.add(track, comparison.fault(examinee.system.sampling));
        Ok(())
    })?;
    let figure = format!("{} lines have one text in two launches", lines.len());
    Ok(ProbeOutcome { figure, ..outcome })
}
