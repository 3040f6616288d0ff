//! The recognition probe: whether the system knows the lines of the test set.
//!
//! The system gets lines of the set and copies with some content words replaced, both in lock-step and as
//! files. The files begin as the rounds' files do. A translator takes as long for both and gives the copy an
//! answer of its own; a table of known sentences doesn't. Each copy is asked once. A system that stores
//! questions on the disk therefore knows the set only.

use std::collections::HashSet;

use dyno_record::rules::limits::RECOGNISED_RATIO;
use dyno_record::{Code, Reason, Track};

use super::altered::{AlterableLines, AlteredLine};
use super::alternation::turn;
use super::examinee::Examinee;
use super::finding::ProbeOutcome;
use super::kinship::strange;
use super::timing::{Judgement, SIGNIFICANT, Sample, Standing, Turn, judge, recognises, standing};
use crate::error::Result;
use crate::text::words;

/// Pairs of a line and its copy.
const PAIRS: usize = 120;
/// Least number of pairs that prove anything.
const LEAST_PAIRS: usize = 10;
/// Share of copies that may have their line's own answer: a translator overlooks a content word now and then.
pub const SAME_ANSWERS: f64 = 0.90;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    let mut set = AlterableLines::of(&examinee.test_set.source, PAIRS, examinee.random("recognition"));
    if set.lines.len() < LEAST_PAIRS {
        let remedy = "the test set has too few lines with a word that can be exchanged";
        return Ok(ProbeOutcome::note(format!("{} pairs: {remedy}", set.lines.len())));
    }
    ProbeOutcome::in_each(examinee.tracks.iter().copied(), "no track is probed", |track| {
        match track.answers_lines() {
            true => in_lockstep(examinee, track, &mut set),
            false => as_files(examinee, track, &mut set),
        }
    })
}

fn in_lockstep(examinee: &Examinee<'_>, track: Track, set: &mut AlterableLines) -> Result<ProbeOutcome> {
    let pairs = examinee.affordable_pairs(&set.lines, set.lines.len())?;
    // Lines first, then their copies; the questions are in random order. Copies have the lines' own words: a memory of
    // words saves as much on either side.
    let originals = set.lines[..pairs].to_vec();
    let (copies, others) = (set.copies(&originals), set.copies(&originals));
    let changed = copies.iter().chain(&others).map(|copy| copy.line.clone());
    let lines: Vec<Vec<u8>> = originals.into_iter().chain(changed).collect();
    let order = examinee.random("recognition in lock-step").permutation(lines.len());
    let asked: Vec<Vec<u8>> = order.iter().map(|&line| lines[line].clone()).collect();
    let (replies, cpu_ns) = examinee.ask_timed(track, &asked)?;
    if !replies.reasons.is_empty() {
        return Ok(ProbeOutcome::failed(track, replies.reasons));
    }
    let (mut answers, mut samples) = (vec![Vec::new(); lines.len()], vec![Sample::default(); lines.len()]);
    for (at, (&line, answer)) in order.iter().zip(replies.answers).enumerate() {
        samples[line] = Sample { cpu_ns: cpu_ns[at], ..sample(&answer, replies.latency_ns[at]) };
        answers[line] = answer;
    }
    let [of_lines, of_copies, of_others] = [0, 1, 2].map(|part| part * pairs..(part + 1) * pairs);
    let mut outcome = ProbeOutcome::default();
    outcome.judge(track, recognises(&samples[of_lines.clone()], &samples[of_copies.clone()], SIGNIFICANT));
    let [set, first, second] = [of_lines, of_copies, of_others].map(|part| &answers[part]);
    let same = || same_answers(set, first, &copies);
    outcome.add(track, same().or_else(|| unlike_copies(set, [first, second], [&copies, &others])));
    Ok(outcome)
}

/// Reason if answers to lines of the set come from elsewhere than those to two copies of each.
fn unlike_copies(set: &[Vec<u8>], answers: [&[Vec<u8>]; 2], copies: [&[AlteredLine]; 2]) -> Option<Reason> {
    let differ = |line: &usize| {
        let [one, other] = copies.map(|copies| &copies[*line]);
        one.exchanged > 0 && one.exchanged == other.exchanged && one.line != other.line
    };
    let kin = (0..set.len()).filter(differ).map(|line| [&*set[line], &*answers[0][line], &*answers[1][line]]);
    strange(kin)
}

/// A time per word of the answer, since an odd sentence may honestly get a longer answer.
pub fn sample(answer: &[u8], ns: u64) -> Sample {
    Sample { units: words(answer), ns, cpu_ns: 0 }
}

/// Reason if copies with one replaced word have their line's own answer: a table looks sentences up by
/// similarity.
fn same_answers(set: &[Vec<u8>], answers: &[Vec<u8>], copies: &[AlteredLine]) -> Option<Reason> {
    let pairs: Vec<_> = set.iter().zip(answers).zip(copies).filter(|(_, copy)| copy.exchanged == 1).collect();
    let same = pairs.iter().filter(|((line, answer), _)| line == answer).count();
    // A system with one answer for everything has no table.
    let is_telling = 2 * set.iter().collect::<HashSet<_>>().len() > set.len();
    let figure = || format!("{same} of {} changed copies have their line's own answer", pairs.len());
    (is_telling && same as f64 > SAME_ANSWERS * pairs.len() as f64).then(|| Code::Recognises.reason(figure()))
}

/// The probe with files. The rounds give the set again and again, so a first launch shows the set to systems
/// that store whole files.
fn as_files(examinee: &Examinee<'_>, track: Track, set: &mut AlterableLines) -> Result<ProbeOutcome> {
    let lines = file_lines(examinee, &set.lines)?;
    let before = examinee.pass(track, &lines)?;
    if !before.reasons.is_empty() {
        return Ok(ProbeOutcome::failed(track, before.reasons));
    }
    let mut outcome = alternate_launches(examinee, track, &lines, set)?;
    if outcome.findings.is_empty() {
        outcome.add(track, unlike_copies_in_a_file(examinee, track, &before.answers(), &lines, set)?);
    }
    Ok(outcome)
}

/// As [`unlike_copies`], with the answers of one more launch over two copies of each line.
fn unlike_copies_in_a_file(
    examinee: &Examinee<'_>,
    track: Track,
    answers: &[Vec<u8>],
    lines: &[Vec<u8>],
    set: &mut AlterableLines,
) -> Result<Option<Reason>> {
    let (copies, others) = (set.copies(lines), set.copies(lines));
    let both: Vec<Vec<u8>> = copies.iter().chain(&others).map(|copy| copy.line.clone()).collect();
    let pass = examinee.pass(track, &both)?;
    if !pass.reasons.is_empty() {
        return Ok(pass.reasons.into_iter().next());
    }
    let of_both = pass.answers();
    let (first, second) = of_both.split_at(lines.len());
    Ok(unlike_copies(answers, [first, second], [&copies, &others]))
}

/// Lines of the set as the rounds give them, from the first line. If the set takes too long: its beginning,
/// and random lines of the rest.
fn file_lines(examinee: &Examinee<'_>, drawn: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
    let set = &examinee.test_set.source;
    let lines = examinee.affordable(set.clone())?;
    if lines.len() == set.len() {
        return Ok(lines);
    }
    let beginning = &lines[..lines.len() / 2];
    let others = drawn.iter().filter(|line| !beginning.contains(line));
    examinee.affordable(beginning.iter().chain(others).cloned().collect())
}

/// Launches over one line, the set and a fresh copy of the set, turn by turn.
fn alternate_launches(
    examinee: &Examinee<'_>,
    track: Track,
    lines: &[Vec<u8>],
    set: &mut AlterableLines,
) -> Result<ProbeOutcome> {
    let (mut turns, mut copied) = (Vec::new(), None);
    let mut random = examinee.random("recognition in files");
    while turns.is_empty() || is_open(&turns) {
        let changed = set.copies(lines);
        let copies: Vec<Vec<u8>> = changed.iter().map(|copy| copy.line.clone()).collect();
        match turn([&lines[..1], lines, &copies], &mut random, |lines| examinee.pass(track, lines))? {
            Ok((turn, [_, known, fresh])) => {
                turns.push(turn);
                copied = copied.or_else(|| same_answers(&known.answers(), &fresh.answers(), &changed));
            }
            Err(reasons) => return Ok(ProbeOutcome::failed(track, reasons)),
        }
    }
    let mut outcome = ProbeOutcome::default();
    outcome.judge(track, judge_either_way(&turns));
    outcome.add(track, copied);
    Ok(outcome)
}

/// Whether a judgement of the set, or of its copies, needs more turns.
fn is_open(turns: &[Turn]) -> bool {
    let standings = [turns.to_vec(), reversed(turns)].map(|turns| standing(&turns, RECOGNISED_RATIO));
    standings.contains(&Standing::Open) && !standings.contains(&Standing::Accused)
}

fn reversed(turns: &[Turn]) -> Vec<Turn> {
    turns.iter().map(Turn::reversed).collect()
}

/// Either file may be the quicker one.
fn judge_either_way(turns: &[Turn]) -> Judgement {
    let files = ["the set as a file", "its changed copy's time"];
    let known = judge(turns, RECOGNISED_RATIO, Code::Recognises, files);
    let files = ["a changed copy of the set", "the set's time as a file"];
    let spared = judge(&reversed(turns), RECOGNISED_RATIO, Code::Recognises, files);
    if spared.reason.is_some() { spared } else { known }
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
        assert_eq!(same_answers(&own, &own, &copies(|_| 1)).unwrap().figure, figure);
        assert_eq!(same_answers(&own, &few, &copies(|_| 1)), None, "18 of 20 are the limit");
        let constant = answers((0..20).map(|_| "yes".into()));
        assert_eq!(same_answers(&constant, &constant, &copies(|_| 1)), None);
        let half = answers((0..20).map(|i| format!("{} {i}", if i % 2 == 0 { "answer" } else { "another" })));
        assert!(
            same_answers(&own, &half, &copies(|i| 1 + 2 * (i % 2))).is_some(),
            "copies with more other words say nothing"
        );
    }
}
