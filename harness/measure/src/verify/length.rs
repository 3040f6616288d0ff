//! The length probe, for translators: answers that are missing, far too long, or of another total length than
//! the references.

use super::{Examinee, ProbeOutcome, lines};
use crate::error::Result;
use crate::judge::length::{compare_lengths, missing, runaway};

/// Number of lines of the test set that are asked.
const LINES: usize = 150;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    if !examinee.system.translates {
        return Ok(ProbeOutcome::note("an encoder's answers have no length"));
    }
    let (mut figure, mut most_unlike) = ("no references to compare with".to_owned(), 0.0);
    let mut asked = examinee.affordable(lines::ordinary(examinee, LINES, "length"))?;
    let references: Vec<Option<String>> = asked.iter().map(|line| reference(examinee, line)).collect();
    let own = asked.len();
    asked.extend(examinee.affordable(lines::long(examinee))?);
    let outcome = ProbeOutcome::in_each(examinee.tracks.iter().copied(), "", |track, outcome| {
        let answers = examinee.answers(track, &asked)?;
        outcome.add(track, missing(&asked, &answers));
        // The long lines are left out, since the probe has made them. A small translator rambles
        // there, and gains no time by it.
        outcome.add(track, runaway(&asked[..own], &answers[..own], examinee.limits().runaway_factor()));
        let (ratio, reason) = compare_lengths(&references, &answers);
        outcome.add(track, reason);
        if let Some(ratio) = ratio.filter(|ratio| ratio.ln().abs() >= most_unlike) {
            most_unlike = ratio.ln().abs();
            figure = format!("{:.0} % of the references' characters", ratio * 100.0);
        }
        Ok(())
    })?;
    Ok(ProbeOutcome { figure, ..outcome })
}

fn reference(examinee: &Examinee<'_>, line: &[u8]) -> Option<String> {
    let set = examinee.test_set;
    let at = set.source.iter().position(|source| source == line)?;
    set.references.first().map(|reference| reference[at].clone())
}
