//! Recognition: lines of the test set against copies with one content word exchanged, both in lock-step and as
//! files. A translator takes as long for both; a table of known sentences doesn't.

use super::timing::{Sample, recognises, recognises_files};
use super::{Code, Examinee, Heard, lines};
use crate::campaign::{Track, words};
use crate::exit::Outcome;

/// Pairs of a line and its copy.
const PAIRS: usize = 120;
/// Too few pairs say nothing.
const LEAST_PAIRS: usize = 10;
/// Launches over each file, taken in turn.
const TURNS: usize = 3;
/// What stands out then is asked again, so often that chance alone sets all of one kind before all of the other
/// once in 924 times.
const MORE_TURNS: usize = 6;

pub(super) fn ask(examinee: &Examinee<'_>) -> Outcome<Heard> {
    let pairs = lines::with_copies(examinee, PAIRS);
    if pairs.len() < LEAST_PAIRS {
        let remedy = "the test set has too few lines with a word that can be exchanged";
        return Ok(Heard::note(format!("{} pairs: {remedy}", pairs.len())));
    }
    let mut heard = Heard::default();
    let mut figures = Vec::new();
    for &track in &examinee.tracks {
        let part = match track {
            Track::Latency => {
                let lines: Vec<_> = pairs.iter().map(|(line, _)| line.clone()).collect();
                in_lockstep(examinee, &pairs[..examinee.affordable_pairs(&lines, pairs.len())?])?
            }
            _ => as_files(examinee, track, &pairs)?,
        };
        figures.push(part.figure);
        heard.findings.extend(part.findings);
        heard.undecided |= part.undecided;
    }
    heard.figure = figures.join("; ");
    Ok(heard)
}

fn in_lockstep(examinee: &Examinee<'_>, pairs: &[(Vec<u8>, Vec<u8>)]) -> Outcome<Heard> {
    let mut questions: Vec<(&Vec<u8>, bool)> =
        pairs.iter().flat_map(|(line, copy)| [(line, true), (copy, false)]).collect();
    examinee.random("recognition in lock-step").shuffle(&mut questions);
    let asked: Vec<_> = questions.iter().map(|(line, _)| (*line).clone()).collect();
    let told = examinee.ask(&asked)?;
    if !told.reasons.is_empty() {
        return Ok(Heard::failed(Track::Latency, told.reasons));
    }
    let side = |of_set: bool| {
        let places = (0..questions.len()).filter(|&at| questions[at].1 == of_set);
        // By words of the answer: an odd sentence may honestly get a longer one.
        places
            .map(|at| Sample { units: words(&told.answers[at]), ns: told.latency_ns[at] })
            .collect::<Vec<_>>()
    };
    let judged = recognises(&side(true), &side(false));
    let mut heard = Heard { undecided: judged.undecided, ..Heard::note(judged.figure) };
    heard.add(Track::Latency, judged.reason);
    Ok(heard)
}

fn as_files(examinee: &Examinee<'_>, track: Track, pairs: &[(Vec<u8>, Vec<u8>)]) -> Outcome<Heard> {
    let heard = take_turns(examinee, track, pairs, TURNS)?;
    let stands_out = heard.undecided || heard.findings.iter().any(|f| f.reason.code == Code::Recognises);
    if stands_out { take_turns(examinee, track, pairs, MORE_TURNS) } else { Ok(heard) }
}

fn take_turns(
    examinee: &Examinee<'_>,
    track: Track,
    pairs: &[(Vec<u8>, Vec<u8>)],
    turns: usize,
) -> Outcome<Heard> {
    let (set, mut copies): (Vec<_>, Vec<_>) = pairs.iter().cloned().unzip();
    let set = examinee.affordable(set)?;
    copies.truncate(set.len());
    let inputs = [&set[..1], &set[..], &copies[..]];
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    let mut written = [0; 3];
    for _ in 0..turns {
        for ((input, times), written) in inputs.iter().zip(&mut times).zip(&mut written) {
            let pass = examinee.pass(track, input)?;
            if !pass.reasons.is_empty() {
                return Ok(Heard::failed(track, pass.reasons));
            }
            times.push(pass.ending.wall_ns() as f64);
            *written = words(&pass.text);
        }
    }
    // As in lock-step: time for the same number of words written.
    let growth = written[2] as f64 / written[1].max(1) as f64;
    let load = times[0].iter().copied().fold(f64::MAX, f64::min);
    let copies: Vec<f64> =
        times[2].iter().map(|time| load + (time - load) / growth.max(f64::MIN_POSITIVE)).collect();
    let judged = recognises_files(&times[0], &times[1], &copies);
    let mut heard = Heard { undecided: judged.undecided, ..Heard::note(judged.figure) };
    heard.add(track, judged.reason);
    Ok(heard)
}
