//! Recognition: lines of the test set against copies with some content words exchanged, both in lock-step and as
//! files, which begin as the rounds' do. A translator takes as long for both, and gives the copy an answer of its own; a
//! table of known sentences doesn't. No copy is asked twice, so that a system which keeps on the disk what it was asked knows the set only.

use std::collections::HashSet;

use super::examinee::Examinee;
use super::finding::Heard;
use super::lines::{AlteredLine, Changeable};
use super::timing::{SIGNIFICANT, Sample, recognises, recognises_files};
use crate::error::Result;
use crate::rules::limits::RECOGNISED_RATIO;
use crate::rules::{Code, Reason, Track};
use crate::text::words;

/// Pairs of a line and its copy.
const PAIRS: usize = 120;
/// Too few pairs say nothing.
const LEAST_PAIRS: usize = 10;
/// Share of copies that may be answered as their lines are: a translator overlooks a content word now and then.
pub const SAME_ANSWERS: f64 = 0.90;
/// What differs by more than this ratio in a first turn of launches over both files is asked again.
pub const LOOKED_AT_RATIO: f64 = 0.95;
/// So often that chance alone sets all of one kind before all of the other once in 924 times.
const MORE_TURNS: usize = 6;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<Heard> {
    let mut set = Changeable::of(&examinee.test_set.source, PAIRS, examinee.random("recognition"));
    if set.lines.len() < LEAST_PAIRS {
        let remedy = "the test set has too few lines with a word that can be exchanged";
        return Ok(Heard::note(format!("{} pairs: {remedy}", set.lines.len())));
    }
    let mut heard = Heard::default();
    let mut figures = Vec::new();
    for &track in &examinee.tracks {
        let part = match track {
            Track::Latency => in_lockstep(examinee, &mut set)?,
            _ => as_files(examinee, track, &mut set)?,
        };
        figures.push(part.figure);
        heard.findings.extend(part.findings);
        heard.undecided |= part.undecided;
    }
    heard.figure = figures.join("; ");
    Ok(heard)
}

fn in_lockstep(examinee: &Examinee<'_>, set: &mut Changeable) -> Result<Heard> {
    let pairs = examinee.affordable_pairs(&set.lines, set.lines.len())?;
    // Lines first, then their copies; asked in any order.
    let originals = set.lines[..pairs].to_vec();
    let copies = set.copies(&originals);
    let lines: Vec<Vec<u8>> =
        originals.into_iter().chain(copies.iter().map(|copy| copy.line.clone())).collect();
    let order = examinee.random("recognition in lock-step").permutation(lines.len());
    let told = examinee.ask(&order.iter().map(|&line| lines[line].clone()).collect::<Vec<_>>())?;
    if !told.reasons.is_empty() {
        return Ok(Heard::failed(Track::Latency, told.reasons));
    }
    let (mut answers, mut samples) = (vec![Vec::new(); lines.len()], vec![Sample::default(); lines.len()]);
    for ((&line, answer), &ns) in order.iter().zip(told.answers).zip(&told.latency_ns) {
        samples[line] = sample(&answer, ns);
        answers[line] = answer;
    }
    let judged = recognises(&samples[..pairs], &samples[pairs..], SIGNIFICANT);
    let mut heard = Heard { undecided: judged.undecided, ..Heard::note(judged.figure) };
    heard.add(Track::Latency, judged.reason.or_else(|| alike(&answers[..pairs], &answers[pairs..], &copies)));
    Ok(heard)
}

/// By words of the answer: an odd sentence may honestly get a longer one.
pub fn sample(answer: &[u8], ns: u64) -> Sample {
    Sample { units: words(answer), ns }
}

/// Whether copies with one other word are answered as their lines are: by a table that looks sentences up by their likeness.
fn alike(set: &[Vec<u8>], answers: &[Vec<u8>], copies: &[AlteredLine]) -> Option<Reason> {
    let pairs: Vec<_> = set.iter().zip(answers).zip(copies).filter(|(_, copy)| copy.exchanged == 1).collect();
    let same = pairs.iter().filter(|((line, answer), _)| line == answer).count();
    // Who has one answer for everything has no table.
    let is_telling = 2 * set.iter().collect::<HashSet<_>>().len() > set.len();
    let figure = || format!("{same} of {} changed copies have their line's own answer", pairs.len());
    (is_telling && same as f64 > SAME_ANSWERS * pairs.len() as f64).then(|| Code::Recognises.reason(figure()))
}

/// The rounds give the set again and again; so whoever keeps the answers to whole files has seen it before the first turn.
fn as_files(examinee: &Examinee<'_>, track: Track, set: &mut Changeable) -> Result<Heard> {
    let lines = file(examinee, &set.lines)?;
    let before = examinee.pass(track, &lines)?;
    if !before.reasons.is_empty() {
        return Ok(Heard::failed(track, before.reasons));
    }
    let heard = take_turns(examinee, track, &lines, set, 1, LOOKED_AT_RATIO)?;
    if heard.stands_out() {
        take_turns(examinee, track, &lines, set, MORE_TURNS, RECOGNISED_RATIO)
    } else {
        Ok(heard)
    }
}

/// The set as the rounds give it, from its first line; of a set that takes too long the beginning, and lines from everywhere.
fn file(examinee: &Examinee<'_>, drawn: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
    let set = &examinee.test_set.source;
    let lines = examinee.affordable(set.clone())?;
    if lines.len() == set.len() {
        return Ok(lines);
    }
    let beginning = &lines[..lines.len() / 2];
    let others = drawn.iter().filter(|line| !beginning.contains(line));
    examinee.affordable(beginning.iter().chain(others).cloned().collect())
}

fn take_turns(
    examinee: &Examinee<'_>,
    track: Track,
    lines: &[Vec<u8>],
    set: &mut Changeable,
    turns: usize,
    limit: f64,
) -> Result<Heard> {
    let mut times = [const { Vec::new() }; 3];
    let (mut growth, mut alike_answers) = (Vec::new(), None);
    for _ in 0..turns {
        let changed = set.copies(lines);
        let copies: Vec<Vec<u8>> = changed.iter().map(|copy| copy.line.clone()).collect();
        let mut answers = Vec::new();
        for (input, times) in [&lines[..1], lines, &copies].into_iter().zip(&mut times) {
            let pass = examinee.pass(track, input)?;
            if !pass.reasons.is_empty() {
                return Ok(Heard::failed(track, pass.reasons));
            }
            times.push(pass.ending.wall_ns() as f64);
            answers.push(pass.answers());
        }
        let written = |answers: &[Vec<u8>]| answers.iter().map(|answer| words(answer)).sum::<usize>().max(1);
        growth.push(written(&answers[2]) as f64 / written(&answers[1]) as f64);
        alike_answers = alike(&answers[1], &answers[2], &changed);
    }
    // As in lock-step: time for the same number of words written.
    let load = times[0].iter().copied().fold(f64::MAX, f64::min);
    let of_same_words = |(time, growth): (&f64, f64)| load + (time - load) / growth;
    let copies: Vec<f64> = times[2].iter().zip(growth).map(of_same_words).collect();
    let judged = recognises_files(&times[0], &times[1], &copies, limit);
    let mut heard = Heard { undecided: judged.undecided, ..Heard::note(judged.figure) };
    heard.add(track, judged.reason.or(alike_answers));
    Ok(heard)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(texts: impl IntoIterator<Item = String>) -> Vec<Vec<u8>> {
        texts.into_iter().map(String::into_bytes).collect()
    }

    fn copies(exchanged: impl Fn(usize) -> usize) -> Vec<AlteredLine> {
        (0..20).map(|i| AlteredLine { line: Vec::new(), exchanged: exchanged(i) }).collect()
    }

    #[test]
    fn a_copy_with_its_lines_answer_comes_from_a_table() {
        let own = answers((0..20).map(|i| format!("answer {i}")));
        let few =
            answers((0..20).map(|i| if i < 2 { format!("another {i}") } else { format!("answer {i}") }));
        let figure = "20 of 20 changed copies have their line's own answer";
        assert_eq!(alike(&own, &own, &copies(|_| 1)).unwrap().figure, figure);
        assert_eq!(alike(&own, &few, &copies(|_| 1)), None, "18 of 20 are the limit");
        let constant = answers((0..20).map(|_| "yes".into()));
        assert_eq!(alike(&constant, &constant, &copies(|_| 1)), None);
        let half = answers((0..20).map(|i| format!("{} {i}", if i % 2 == 0 { "answer" } else { "another" })));
        assert!(
            alike(&own, &half, &copies(|i| 1 + 2 * (i % 2))).is_some(),
            "copies with more other words say nothing"
        );
    }
}
