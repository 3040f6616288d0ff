//! The determinism probe: whether two launches over the same lines give the same text. In lock-step the
//! second launch has another order, as the next round will.

use super::examinee::Examinee;
use super::finding::ProbeOutcome;
use super::lines;
use super::sameness::Comparison;
use crate::error::Result;

/// Number of lines that are compared.
const LINES: usize = 150;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    let lines = examinee.affordable(lines::ordinary(examinee, LINES, "determinism"))?;
    let mut outcome = ProbeOutcome::note(format!("{} lines have one text in two launches", lines.len()));
    for &track in &examinee.tracks {
        let order = match track.answers_lines() {
            true => examinee.random("the next round").permutation(lines.len()),
            false => (0..lines.len()).collect(),
        };
        let again: Vec<_> = order.iter().map(|&line| lines[line].clone()).collect();
        // After a launch that failed, a second one would tell the same and take its time again.
        let both = match examinee.answers(track, &lines)? {
            Ok(first) => examinee.answers(track, &again)?.map(|second| (first, second)),
            Err(failed) => Err(failed),
        };
        match both {
            Ok((first, second)) => {
                let first: Vec<_> = order.iter().map(|&line| first[line].clone()).collect();
                let comparison = Comparison::of_system(examinee.system, &first, &second);
                outcome.add(track, comparison.fault(examinee.system.sampling));
            }
            Err(failed) => outcome.findings.extend(failed.findings),
        }
    }
    Ok(outcome)
}
