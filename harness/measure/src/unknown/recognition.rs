//! Recognition: whether a system knows the lines of the test set, asked in lock-step or by files.
//!
//! The system gets lines of the set and copies with some content words replaced. A translator takes as long for
//! both and gives the copy an answer of its own; a table of known sentences doesn't. Each copy is asked once. A
//! system that stores questions on the disk therefore knows the set only.

use std::collections::HashSet;

use dyno_record::rules::limits::{RECOGNISED_RATIO, SAME_ANSWERS};
use dyno_record::{Code, Reason};
use dyno_stats::Random;

use super::altered::{AlterableLines, AlteredLine};
use super::odd_answer::strange;
use super::turns::{Launch, turn};
use crate::judge::launches::{Standing, Turn, judge, standing};
use crate::judge::lines::{SIGNIFICANT, recognises};
use crate::judge::{Judgement, Sample};
use crate::process::failed::Asked;

/// A judgement of times, and a broken rule that the answers show.
pub type Verdict = (Judgement, Option<Reason>);

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

    /// Verdict on the answers, with the time of each.
    pub fn judge(&self, replies: Vec<Vec<u8>>, times: &[Sample]) -> Verdict {
        let (mut answers, mut samples) =
            (vec![Vec::new(); times.len()], vec![Sample::default(); times.len()]);
        for ((&place, answer), &time) in self.order.iter().zip(replies).zip(times) {
            (answers[place], samples[place]) = (answer, time);
        }
        let lines = self.copies[0].len();
        let [set, first, second] = [0, 1, 2].map(|part| &answers[part * lines..(part + 1) * lines]);
        let same = same_answers(set, first, &self.copies[0]);
        let unlike = || unlike_copies(&self.lines, &self.copies, [set, first, second]);
        let pairs: Vec<_> = (0..lines).map(|line| [samples[line], samples[lines + line]]).collect();
        (recognises(&pairs, SIGNIFICANT), same.or_else(unlike))
    }
}

/// Verdict on the set's `lines` as a file, beside fresh copies. The rounds give the set again and again, so a first
/// launch shows the set to systems that store whole files.
pub fn in_files(
    lines: &[Vec<u8>],
    set: &mut AlterableLines,
    random: &mut Random,
    launch: &mut Launch<'_>,
) -> Asked<Verdict> {
    let before = launch(lines)?.answers();
    let (mut turns, mut reason) = (Vec::new(), None);
    while is_open(&turns) {
        let changed = set.copies(lines);
        let copies: Vec<Vec<u8>> = changed.iter().map(|copy| copy.line.clone()).collect();
        let (turn, [_, known, fresh]) = turn([&lines[..1], lines, &copies], random, launch)?;
        turns.push(turn);
        reason = reason.or_else(|| same_answers(&known.answers(), &fresh.answers(), &changed));
    }
    let judgement = judge_either_way(&turns);
    if reason.is_none() && !(judgement.certain && judgement.reason.is_some()) {
        // One more launch, over two copies of each line.
        let copies = set.two_copies(lines);
        let both: Vec<Vec<u8>> = copies.iter().flatten().map(|copy| copy.line.clone()).collect();
        let of_both = launch(&both)?.answers();
        let (first, second) = of_both.split_at(lines.len());
        reason = unlike_copies(lines, &copies, [&before, first, second]);
    }
    Ok((judgement, reason))
}

/// Reason if answers to lines of the set come from elsewhere than those to two copies of each. `answers` are those to
/// the lines, their first and their second copies.
fn unlike_copies(
    lines: &[Vec<u8>],
    copies: &[Vec<AlteredLine>; 2],
    answers: [&[Vec<u8>]; 3],
) -> Option<Reason> {
    let [first, second] = copies;
    let matching = (0..lines.len()).filter(|&line| first[line].matches(&second[line]));
    strange(matching.map(|line| {
        [[&*lines[line], &*first[line].line, &*second[line].line], answers.map(|of| of[line].as_slice())]
    }))
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
