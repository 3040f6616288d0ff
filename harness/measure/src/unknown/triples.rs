//! Lines and two changed copies of each, with the answers to all three: whether a system knows the lines.
//!
//! A table of sentences gives a copy its line's own answer, if it looks sentences up by similarity. Or it has answers
//! from elsewhere, which are unlike those to the copies. But there are systems that do the same to any lines: names
//! that are taken from a text don't depend on its other words. A suspect therefore gets other lines too, made of
//! halves of the lines, which no table holds, and copies of these.

use std::collections::HashSet;

use dyno_record::rules::limits::SAME_ANSWERS;
use dyno_record::{Code, Reason};
use dyno_stats::Random;

use super::altered::{AlterableLines, AlteredLine};
use super::odd_answer::{odd, strange};
use crate::constants::LEAST_RECOGNITION_PAIRS;
use crate::judge::Counted;
use crate::process::failed::Asked;
use crate::text::recombined;

/// How a system is asked lines in a process of their own.
pub type Ask<'a> = dyn FnMut(&[Vec<u8>]) -> Asked<Vec<Vec<u8>>> + 'a;

/// Lines, two copies of each, and the answers to the three.
pub struct Triples {
    pub(super) lines: Vec<Vec<u8>>,
    pub(super) copies: [Vec<AlteredLine>; 2],
    pub(super) answers: [Vec<Vec<u8>>; 3],
}

impl Triples {
    /// Asks two copies of `lines`, each in a process of its own, as the lines were that got these `answers`. A system that
    /// samples may have a seed for each process, and the answers of one process are then alike.
    pub fn ask(
        (lines, answers): (Vec<Vec<u8>>, Vec<Vec<u8>>),
        set: &mut AlterableLines,
        ask: &mut Ask<'_>,
    ) -> Asked<Self> {
        let copies = set.two_copies(&lines);
        let texts =
            |copies: &Vec<AlteredLine>| copies.iter().map(|copy| copy.line.clone()).collect::<Vec<_>>();
        let [first, second] = copies.each_ref().map(texts);
        let answers = [answers, ask(&first)?, ask(&second)?];
        Ok(Self { lines, copies, answers })
    }

    /// Reason if the answers show that the system knows the lines, and does other lines otherwise.
    pub fn fault(&self, mut random: Random, ask: &mut Ask<'_>) -> Asked<Option<Reason>> {
        if self.fault_beside(None).is_none() {
            return Ok(None);
        }
        let words = Random::new(random.draw(), "words of other lines");
        let mut others = AlterableLines::of(&recombined(&self.lines, 1), self.lines.len(), words);
        if others.lines.len() < LEAST_RECOGNITION_PAIRS {
            return Ok(self.fault_beside(None));
        }
        let lines = others.lines.clone();
        let answers = ask(&lines)?;
        let others = Self::ask((lines, answers), &mut others, ask)?;
        Ok(self.fault_beside(Some(&others)))
    }

    fn fault_beside(&self, others: Option<&Self>) -> Option<Reason> {
        let [same, odd] = [Self::same, Self::odd].map(|count| others.map(count).unwrap_or_default());
        self.same_answers(same).or_else(|| strange(self.odd(), odd))
    }

    /// Reason if copies have their line's own answer, and copies of `other` lines not half as often.
    fn same_answers(&self, other: Counted) -> Option<Reason> {
        let same = self.same();
        // A system with one answer for everything has no table.
        let is_telling = 2 * self.answers[0].iter().collect::<HashSet<_>>().len() > self.lines.len();
        let figure = || format!("{} of {} changed copies have their line's own answer", same.lines, same.of);
        (is_telling && same.share() > SAME_ANSWERS && other.share() < SAME_ANSWERS / 2.0)
            .then(|| Code::Recognises.reason(figure()))
    }

    /// Copies with the answer of their line, among those with one other word.
    fn same(&self) -> Counted {
        let [lines, copies, _] = &self.answers;
        let pairs = lines.iter().zip(copies).zip(&self.copies[0]).filter(|(_, copy)| copy.exchanged == 1);
        let mut counted = Counted::default();
        for ((line, copy), _) in pairs {
            counted.of += 1;
            counted.lines += usize::from(line == copy);
        }
        counted
    }

    /// Lines whose answer is the odd one, among those whose copies differ from them in the same words.
    fn odd(&self) -> Counted {
        let [first, second] = &self.copies;
        let matching = (0..self.lines.len()).filter(|&line| first[line].matches(&second[line]));
        odd(matching.map(|line| self.answers.each_ref().map(|of| of[line].as_slice())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figure for a system, and the number of processes that it was asked in.
    fn judged(lines: usize, mut system: impl FnMut(usize, &str) -> String) -> (Option<String>, usize) {
        let kinds = ["green", "small", "brown", "white", "black", "young"];
        let line = |i: usize| {
            format!("a {} dog no {i} is in the {} inn", kinds[i % 6], kinds[(i + 1 + i / 6 % 5) % 6])
        };
        let source: Vec<Vec<u8>> = (0..lines).map(|i| line(i).into_bytes()).collect();
        let mut set = AlterableLines::of(&source, lines, Random::new(1, "words"));
        let mut processes = 0;
        let mut ask = |lines: &[Vec<u8>]| {
            processes += 1;
            let answer = |line: &Vec<u8>| system(processes, std::str::from_utf8(line).unwrap()).into_bytes();
            Ok(lines.iter().map(answer).collect())
        };
        let lines = set.lines.clone();
        let answers = ask(&lines).unwrap();
        let triples = Triples::ask((lines, answers), &mut set, &mut ask).unwrap();
        let reason = triples.fault(Random::new(2, "others"), &mut ask).unwrap();
        (reason.map(|reason| reason.figure), processes)
    }

    /// The line without the words that are exchanged: all copies of a line are alike.
    fn frame(line: &str) -> String {
        line.split(' ').filter(|word| word.len() < 4).collect::<Vec<_>>().join(" ")
    }

    /// Whether the line is one of the set, or a copy.
    fn is_of_the_set(line: &str) -> bool {
        line.starts_with("a ")
    }

    #[test]
    fn a_translator_is_asked_no_further() {
        assert_eq!(judged(60, |_, line| line.to_uppercase()), (None, 3));
        assert_eq!(judged(60, |_, _| "yes".into()), (None, 3), "one answer for everything");
    }

    #[test]
    fn a_copy_with_its_lines_answer_comes_from_a_table() {
        let table = |_, line: &str| if is_of_the_set(line) { frame(line) } else { line.to_uppercase() };
        let figure = "30 of 30 changed copies have their line's own answer";
        assert_eq!(judged(60, table), (Some(figure.into()), 6));
    }

    #[test]
    fn a_system_that_leaves_out_such_words_of_any_line_has_none() {
        assert_eq!(judged(60, |_, line| frame(line)), (None, 6));
    }

    #[test]
    fn a_seed_for_each_process_is_no_table() {
        let seeded = |process: usize, line: &str| {
            let marked = |(at, word): (usize, &str)| format!("{word}{}", "xyz".repeat(at * process % 3));
            line.split(' ').enumerate().map(marked).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(judged(300, seeded).0, None);
    }
}
