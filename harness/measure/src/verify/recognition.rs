//! The recognition probe: whether the system knows the lines of the test set, both in lock-step and as files.
//! The files begin as the rounds' files do.

use super::{Examinee, ProbeOutcome};
use crate::constants::{LEAST_RECOGNITION_PAIRS, RECOGNITION_PAIRS};
use crate::error::Result;
use crate::process::failed::Asked;
use crate::unknown::altered::AlterableLines;
use crate::unknown::recognition::{Questions, in_files};

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    let source = &examinee.test_set.source;
    let mut set = AlterableLines::of(source, RECOGNITION_PAIRS, examinee.random("recognition"));
    if set.lines.len() < LEAST_RECOGNITION_PAIRS {
        let remedy = "the test set has too few lines with a word that can be exchanged";
        return Ok(ProbeOutcome::note(format!("{} pairs: {remedy}", set.lines.len())));
    }
    let tracks = examinee.tracks.iter().copied();
    ProbeOutcome::in_each(tracks, "no track is probed", |track, outcome| {
        let (judgement, triples) = if track.answers_lines() {
            let pairs = examinee.affordable_pairs(&set.lines, set.lines.len())?;
            let lines = set.lines[..pairs].to_vec();
            let random = &mut examinee.random("recognition in lock-step");
            let questions = Questions::of(&lines, &mut set, random);
            let (answers, times) = examinee.ask_timed(track, &questions.asked)?;
            let (judgement, triples) = questions.judge(answers, &times);
            (judgement, Some(triples))
        } else {
            let lines = file_lines(examinee, &set.lines)?;
            let random = &mut examinee.random("recognition in files");
            in_files(&lines, &mut set, random, &mut |lines| examinee.pass(track, lines)?.sound())?
        };
        outcome.judge(track, judgement);
        if let Some(triples) = triples {
            let ask = &mut |lines: &[Vec<u8>]| examinee.answers(track, lines);
            let random = examinee.random("other lines");
            outcome.add(track, triples.fault(&mut set, random, examinee.system.sampling, ask)?);
        }
        Ok(())
    })
}

/// Lines of the set as the rounds give them, from the first line. If the set takes too long: its beginning,
/// and random lines of the rest.
fn file_lines(examinee: &Examinee<'_>, drawn: &[Vec<u8>]) -> Asked<Vec<Vec<u8>>> {
    let set = &examinee.test_set.source;
    let lines = examinee.affordable(set.clone())?;
    if lines.len() == set.len() {
        return Ok(lines);
    }
    let beginning = &lines[..lines.len() / 2];
    let others = drawn.iter().filter(|line| !beginning.contains(line));
    Ok(examinee.affordable(beginning.iter().chain(others).cloned().collect())?)
}
