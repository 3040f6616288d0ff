//! Lines and two changed copies of each, with the answers to all three: whether a system knows the lines.
//!
//! A table of sentences gives a copy its line's own answer, if it looks sentences up by similarity. Or it has answers
//! from elsewhere, which are unlike those to the copies. But there are systems that do the same to any lines: names
//! that are taken from a text don't depend on its other words. A suspect therefore gets other lines too, made of
//! halves of the lines, which no table holds, and copies of these.
//!
//! A system that samples may have a seed for each process, which makes all answers of one process alike. Lines and
//! copies are asked in processes of their own, and the copies' answers are by chance the ones that are alike in a third
//! of cases, for all lines at once. A suspect that samples is therefore asked further copies in further processes.

use std::collections::HashSet;

use dyno_record::rules::limits::SAME_ANSWERS;
use dyno_record::{Code, Reason};
use dyno_stats::Random;

use super::altered::{AlterableLines, AlteredLine};
use super::odd_answer::{odd, strange};
use crate::judge::Counted;
use crate::judge::launches::ACCUSING_TURNS;
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
    /// Asks two copies of `lines`, each in a process of its own, as the lines were that got these `answers`.
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

    /// Reason if the answers show that the system knows these lines of `set`, and does other lines otherwise.
    pub fn fault(
        mut self,
        set: &mut AlterableLines,
        random: Random,
        sampling: bool,
        ask: &mut Ask<'_>,
    ) -> Asked<Option<Reason>> {
        if self.fault_beside(None).is_none() {
            return Ok(None);
        }
        let others = self.of_other_lines(random, ask)?;
        let mut further = if sampling { ACCUSING_TURNS - 1 } else { 0 };
        loop {
            let fault = self.fault_beside(Some(&others));
            if fault.is_none() || further == 0 {
                return Ok(fault);
            }
            further -= 1;
            let [answers, _, _] = self.answers;
            self = Self::ask((self.lines, answers), set, ask)?;
        }
    }

    /// As many other lines.
    fn of_other_lines(&self, random: Random, ask: &mut Ask<'_>) -> Asked<Self> {
        let lines = recombined(&self.lines, 1);
        let mut others = AlterableLines::of(&lines, 0, random);
        let answers = ask(&lines)?;
        Self::ask((lines, answers), &mut others, ask)
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
        Counted::of(pairs.map(|((line, copy), _)| line == copy))
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
    fn judged(sampling: bool, mut system: impl FnMut(usize, &str) -> String) -> (Option<String>, usize) {
        let kinds = ["green", "small", "brown", "white", "black", "young"];
        let line = |i: usize| {
            format!("a {} dog no {i} is in the {} inn", kinds[i % 6], kinds[(i + 1 + i / 6 % 5) % 6])
        };
        let source: Vec<Vec<u8>> = (0..60).map(|i| line(i).into_bytes()).collect();
        let mut set = AlterableLines::of(&source, 60, Random::new(1, "words"));
        let mut processes = 0;
        let mut ask = |lines: &[Vec<u8>]| {
            processes += 1;
            let answer = |line: &Vec<u8>| system(processes, std::str::from_utf8(line).unwrap()).into_bytes();
            Ok(lines.iter().map(answer).collect())
        };
        let lines = set.lines.clone();
        let answers = ask(&lines).unwrap();
        let triples = Triples::ask((lines, answers), &mut set, &mut ask).unwrap();
        let reason = triples.fault(&mut set, Random::new(2, "others"), sampling, &mut ask).unwrap();
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
        assert_eq!(judged(true, |_, line| line.to_uppercase()), (None, 3));
        assert_eq!(judged(true, |_, _| "yes".into()), (None, 3), "one answer for everything");
    }

    #[test]
    fn a_copy_with_its_lines_answer_comes_from_a_table() {
        let table = |_, line: &str| if is_of_the_set(line) { frame(line) } else { line.to_uppercase() };
        let figure = "30 of 30 changed copies have their line's own answer";
        assert_eq!(judged(false, table), (Some(figure.into()), 6));
    }

    #[test]
    fn a_system_that_leaves_out_such_words_of_any_line_has_none() {
        assert_eq!(judged(false, |_, line| frame(line)), (None, 6));
    }

    /// Each word in capitals or not, by a seed for each process.
    fn seeded(process: usize, line: &str) -> String {
        let drawn = |word: &str| match Random::new(process as u64, word).below(2) {
            0 => word.to_uppercase(),
            _ => word.into(),
        };
        line.split(' ').map(drawn).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_seed_for_each_process_is_no_table() {
        let figures = (0..12).map(|seed| judged(true, |process, line| seeded(100 * seed + process, line)));
        let (accused, asked): (Vec<_>, Vec<_>) = figures.unzip();
        assert_eq!(accused, vec![None; 12]);
        assert!(asked.into_iter().any(|processes| processes > 6), "some were asked further copies");
    }

    #[test]
    fn a_table_beside_such_a_system_is_found_in_most_rounds() {
        let is_found = |seed: &usize| {
            let mut known = HashSet::new();
            let (figure, _) = judged(true, |process, line| {
                if process == 1 {
                    known.insert(line.to_owned());
                }
                let in_other_words = || line.bytes().map(|byte| char::from(byte ^ 1)).collect();
                if known.contains(line) { in_other_words() } else { seeded(100 * seed + process, line) }
            });
            figure.is_some_and(|figure| figure.contains("unlike those to two"))
        };
        // The copies of other lines may be alike by chance, too.
        let found = (0..12).filter(is_found).count();
        assert!(found > 6, "{found} of 12");
    }
}
