//! Answers to the same lines at two times: whether they are the same, and stand at their lines' places.

use std::collections::HashMap;
use std::hash::Hash;

use dyno_record::rules::limits::MOST_DIFFERING;
use dyno_record::{Code, Reason};

use crate::constants::WORDS_OF_AN_EXCHANGE;
use crate::vectors::settled;
use crate::{System, words};

/// Comparison of two lists of answers to the same lines.
#[derive(Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Number of lines.
    pub lines: usize,
    /// Number of lines whose answers differ.
    pub differing: usize,
    /// Number of differing lines that have another line's answer.
    elsewhere: usize,
    /// Whether two lines have each other's answer. No rounding causes even one such pair.
    exchanged: bool,
    /// Whether most lines have an answer of their own. Else an answer at another line's place proves nothing.
    telling: bool,
}

impl Comparison {
    /// Compares the answers `b` to the lines of `source` with the answers `a`. Equal lines have no order: a system that
    /// samples may draw either answer for each of them.
    pub fn of(source: &[Vec<u8>], a: &[Vec<u8>], b: &[Vec<u8>]) -> Self {
        let [known, now] = [a, b].map(|answers| lines_by(answers.iter().zip(source)));
        let lines = source.iter().zip(a).zip(b).map(|((line, a), b)| (line, a, b));
        let differing: Vec<Answered<'_>> = lines.filter(|(_, a, b)| a != b).collect();
        // A system that misplaces answers may be right in either list.
        let moved =
            |&&(line, a, b): &&Answered<'_>| has_another(&known, b, line) || has_another(&now, a, line);
        Self {
            lines: a.len(),
            differing: differing.len(),
            elsewhere: differing.iter().filter(moved).count(),
            exchanged: exchanged(&differing),
            telling: 2 * known.len() > a.len(),
        }
    }

    /// Compares answers of `system`: texts as they are, vectors by their direction.
    pub fn of_system(system: &System, source: &[Vec<u8>], a: &[Vec<u8>], b: &[Vec<u8>]) -> Self {
        if system.translates { Self::of(source, a, b) } else { Self::of(source, a, &settled(a, b)) }
    }

    fn share(&self) -> f64 {
        self.differing as f64 / self.lines.max(1) as f64
    }

    /// Reason if answers stand at other lines' places.
    pub fn misplaced(&self) -> Option<Reason> {
        let many = self.share() > MOST_DIFFERING && 2 * self.elsewhere > self.differing;
        let moved = self.telling && (many || self.exchanged);
        let figure = || format!("{} of {} lines have another line's answer", self.elsewhere, self.lines);
        moved.then(|| Code::Order.reason(figure()))
    }

    /// Reason if the answers of two tracks differ.
    pub fn tracks_differ(&self) -> Option<Reason> {
        let figure = || format!("{} of {} lines", self.differing, self.lines);
        (self.differing > 0).then(|| Code::TracksDiffer.reason(figure()))
    }

    /// Reason if two lists of answers to the same lines show a fault. Answers that are drawn at random may
    /// differ.
    pub fn fault(&self, sampling: bool) -> Option<Reason> {
        self.misplaced().or_else(|| self.changed().filter(|_| !sampling))
    }

    /// Reason if more answers differ than rounding explains.
    pub fn changed(&self) -> Option<Reason> {
        let figure = || format!("{} of {} lines differ", self.differing, self.lines);
        (self.share() > MOST_DIFFERING).then(|| Code::Nondeterministic.reason(figure()))
    }
}

/// A line and its two answers.
type Answered<'a> = (&'a Vec<u8>, &'a Vec<u8>, &'a Vec<u8>);
/// The line of each answer, or of each pair of answers; `None` where different lines have it.
type Lines<'a, K> = HashMap<K, Option<&'a Vec<u8>>>;

fn lines_by<'a, K: Eq + Hash>(answered: impl Iterator<Item = (K, &'a Vec<u8>)>) -> Lines<'a, K> {
    let mut lines = Lines::new();
    for (answer, line) in answered {
        lines
            .entry(answer)
            .and_modify(|known| *known = known.filter(|known| *known == line))
            .or_insert(Some(line));
    }
    lines
}

/// Whether another line than this one has the answer.
fn has_another<K: Eq + Hash>(lines: &Lines<'_, K>, answer: K, line: &Vec<u8>) -> bool {
    lines.get(&answer).is_some_and(|known| *known != Some(line))
}

/// Whether two answers occur the other way round at another line as well.
fn exchanged(differing: &[Answered<'_>]) -> bool {
    let pairs = lines_by(differing.iter().map(|&(line, a, b)| ((a, b), line)));
    let is_long = |a, b| words(a).min(words(b)) >= WORDS_OF_AN_EXCHANGE;
    differing.iter().any(|&(line, a, b)| is_long(a, b) && has_another(&pairs, (b, a), line))
}

/// Reason for the first invalid answer to a valid line. Answers to invalid lines are not judged.
pub fn invalid_utf8(source: &[Vec<u8>], answers: &[Vec<u8>]) -> Option<Reason> {
    let is_bad = |(line, answer): (&Vec<u8>, &Vec<u8>)| {
        std::str::from_utf8(line).is_ok() && std::str::from_utf8(answer).is_err()
    };
    let line = source.iter().zip(answers).position(is_bad)?;
    Some(Code::InvalidUtf8.reason(format!("answer to line {}", line + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(texts: &[&str]) -> Vec<Vec<u8>> {
        texts.iter().map(|text| text.as_bytes().to_vec()).collect()
    }

    /// Comparison of answers to different lines.
    fn compared(a: &[Vec<u8>], b: &[Vec<u8>]) -> Comparison {
        let source: Vec<Vec<u8>> = (0..a.len()).map(|i| format!("line {i}").into_bytes()).collect();
        Comparison::of(&source, a, b)
    }

    #[test]
    fn answers_to_equal_lines_have_no_order() {
        let lines = answers(&["one", "equal", "equal", "three"]);
        let a = answers(&["first", "a dog runs", "one dog runs", "third"]);
        let b = answers(&["first", "one dog runs", "a dog runs", "third"]);
        assert_eq!(Comparison::of(&lines, &a, &b).fault(true), None);
        assert_eq!(compared(&a, &b).fault(true).unwrap().code, Code::Order);
    }

    #[test]
    fn a_line_whose_answer_flips_and_flips_back_is_in_its_place() {
        // Answers x, y and x, each beside the one before.
        let [x, y] = ["a dog runs", "one dog runs"];
        let [before, now] = [answers(&[x, y]), answers(&[y, x])];
        assert_eq!(Comparison::of(&answers(&["line"; 2]), &before, &now).fault(true), None);
    }

    #[test]
    fn misplaced_answers_differ_from_new_answers() {
        let a = answers(&["a", "b", "c", "d"]);
        let swapped = compared(&a, &answers(&["b", "a", "c", "d"]));
        assert_eq!(swapped.misplaced().unwrap().code, Code::Order);
        let behind = compared(&a, &answers(&["", "a", "b", "c"]));
        assert_eq!(behind.misplaced().unwrap().figure, "4 of 4 lines have another line's answer");
        let new = compared(&a, &answers(&["a", "b", "x", "y"]));
        assert_eq!(new.misplaced(), None);
        assert_eq!(new.changed().unwrap().code, Code::Nondeterministic);
        assert_eq!(compared(&a, &a).changed(), None);
    }

    #[test]
    fn two_lines_with_each_others_answer_are_enough() {
        let a: Vec<Vec<u8>> = (0..1000).map(|i| format!("answer number {i}").into_bytes()).collect();
        let mut b = a.clone();
        b.swap(10, 11);
        assert_eq!(
            compared(&a, &b).misplaced().unwrap().figure,
            "2 of 1000 lines have another line's answer"
        );
        b[10] = b"something else altogether".to_vec();
        assert_eq!(compared(&a, &b).misplaced(), None, "once is chance");
    }

    #[test]
    fn every_tenth_line_with_the_answer_before_is_misplaced() {
        let right: Vec<Vec<u8>> = (0..100).map(|i| format!("answer number {i}").into_bytes()).collect();
        let wrong = |offset: usize| {
            let at = |i: usize| if i % 10 == offset { &right[i - 1] } else { &right[i] };
            (0..100).map(|i| at(i).clone()).collect::<Vec<_>>()
        };
        assert_eq!(compared(&wrong(9), &wrong(4)).misplaced().unwrap().code, Code::Order);
    }

    #[test]
    fn few_different_answers_say_nothing_about_order() {
        let a = answers(&["yes", "no", "yes", "no"]);
        assert_eq!(compared(&a, &answers(&["no", "yes", "no", "yes"])).misplaced(), None);
    }

    #[test]
    fn one_line_of_a_hundred_is_rounding() {
        let a: Vec<Vec<u8>> = (0..100u8).map(|i| vec![i]).collect();
        let mut b = a.clone();
        b[3] = b"x".to_vec();
        assert_eq!(compared(&a, &b).changed(), None);
        b[4] = b"y".to_vec();
        assert!(compared(&a, &b).changed().is_some());
    }
}
