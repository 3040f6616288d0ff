//! Recognition: whether a system knows the lines of the test set, asked in lock-step or by files.
//!
//! The system gets lines of the set and copies with some content words replaced. A translator takes as long for
//! both and gives the copy an answer of its own; a table of known sentences doesn't. Each copy is asked once. A
//! system that stores questions on the disk therefore knows the set only.

use dyno_record::Code;
use dyno_record::rules::limits::RECOGNISED_RATIO;
use dyno_stats::Random;

use super::altered::{AlterableLines, AlteredLine};
use super::triples::Triples;
use super::turns::{Launch, turn};
use crate::judge::launches::{Standing, Turn, judge, standing};
use crate::judge::lines::{SIGNIFICANT, recognises};
use crate::judge::{Judgement, Sample};
use crate::process::failed::Asked;

/// Lines of the set and two copies of each, for one process in lock-step.
pub struct Questions {
    /// All lines, in random order.
    pub asked: Vec<Vec<u8>>,
    /// Place of each question among the lines, their first and their second copies.
    order: Vec<usize>,
    lines: Vec<Vec<u8>>,
    copies: [Vec<AlteredLine>; 2],
}

impl Questions {
    /// Questions about `lines`. Copies have the lines' own words: a memory of words saves as much on either side.
    pub fn of(lines: &[Vec<u8>], set: &mut AlterableLines, random: &mut Random) -> Self {
        let copies = set.two_copies(lines);
        let changed = copies.iter().flatten().map(|copy| &copy.line);
        let all: Vec<&Vec<u8>> = lines.iter().chain(changed).collect();
        let order = random.permutation(all.len());
        Self {
            asked: order.iter().map(|&place| all[place].clone()).collect(),
            order,
            lines: lines.to_vec(),
            copies,
        }
    }

    /// Judgement of the times; the answers, which are judged by themselves.
    pub fn judge(self, replies: Vec<Vec<u8>>, times: &[Sample]) -> (Judgement, Triples) {
        let (mut answers, mut samples) =
            (vec![Vec::new(); times.len()], vec![Sample::default(); times.len()]);
        for ((&place, answer), &time) in self.order.iter().zip(replies).zip(times) {
            (answers[place], samples[place]) = (answer, time);
        }
        let lines = self.lines.len();
        let pairs: Vec<_> = (0..lines).map(|line| [samples[line], samples[lines + line]]).collect();
        let mut parts = answers.into_iter();
        let answers = [(); 3].map(|()| parts.by_ref().take(lines).collect());
        (recognises(&pairs, SIGNIFICANT), Triples { lines: self.lines, copies: self.copies, answers })
    }
}

/// Judgement of the times of the set's `lines` as a file, beside fresh copies; the answers, unless the times accuse for
/// certain. The rounds give the set again and again, so a first launch shows the set to systems that store whole files.
pub fn in_files(
    lines: &[Vec<u8>],
    set: &mut AlterableLines,
    random: &mut Random,
    launch: &mut Launch<'_>,
) -> Asked<(Judgement, Option<Triples>)> {
    let before = launch(lines)?.answers();
    let mut turns = Vec::new();
    while is_open(&turns) {
        let copies: Vec<Vec<u8>> = set.copies(lines).into_iter().map(|copy| copy.line).collect();
        turns.push(turn([&lines[..1], lines, &copies], random, launch)?);
    }
    let judgement = judge_either_way(&turns);
    if judgement.certain && judgement.reason.is_some() {
        return Ok((judgement, None));
    }
    let ask = &mut |lines: &[Vec<u8>]| Ok(launch(lines)?.answers());
    Ok((judgement, Some(Triples::ask((lines.to_vec(), before), set, ask)?)))
}

/// Whether a judgement of the set, or of its copies, needs more turns.
fn is_open(turns: &[Turn]) -> bool {
    let standings = [turns.to_vec(), reversed(turns)].map(|turns| standing(&turns, RECOGNISED_RATIO));
    standings.contains(&Standing::Open) && !standings.contains(&Standing::Accused)
}

/// The turns with their files exchanged: whether the other file is the one that takes less.
fn reversed(turns: &[Turn]) -> Vec<Turn> {
    turns.iter().map(|&[one_line, suspect, other]| [one_line, other, suspect]).collect()
}

/// Either file may be the quicker one.
fn judge_either_way(turns: &[Turn]) -> Judgement {
    let files = ["the set as a file", "its changed copy's time"];
    let known = judge(turns, RECOGNISED_RATIO, Code::Recognises, files);
    let files = ["a changed copy of the set", "the set's time as a file"];
    let spared = judge(&reversed(turns), RECOGNISED_RATIO, Code::Recognises, files);
    if spared.reason.is_some() { spared } else { known }
}
