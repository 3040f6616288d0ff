//! Answers to the same lines at two times: whether they are the same, and stand at their lines' places.

use std::collections::HashSet;

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
    /// Number of pairs of lines with each other's answer. No rounding causes even one such pair.
    exchanged: usize,
    /// Whether most lines have an answer of their own. Else an answer at another line's place proves nothing.
    telling: bool,
}

impl Comparison {
    /// Compares `b` with `a`.
    pub fn of(a: &[Vec<u8>], b: &[Vec<u8>]) -> Self {
        let (known, now): (HashSet<&Vec<u8>>, HashSet<&Vec<u8>>) = (a.iter().collect(), b.iter().collect());
        let differing: Vec<_> = a.iter().zip(b).filter(|(a, b)| a != b).collect();
        // A system that misplaces answers may be right in either list.
        let moved = |(a, b): &&(&Vec<u8>, &Vec<u8>)| known.contains(b) || now.contains(a);
        Self {
            lines: a.len(),
            differing: differing.len(),
            elsewhere: differing.iter().filter(moved).count(),
            exchanged: exchanged(&differing),
            telling: 2 * known.len() > a.len(),
        }
    }

    /// Compares answers of `system`: texts as they are, vectors by their direction.
    pub fn of_system(system: &System, a: &[Vec<u8>], b: &[Vec<u8>]) -> Self {
        if system.translates { Self::of(a, b) } else { Self::of(a, &settled(a, b)) }
    }

    fn share(&self) -> f64 {
        self.differing as f64 / self.lines.max(1) as f64
    }

    /// Reason if answers stand at other lines' places.
    pub fn misplaced(&self) -> Option<Reason> {
        let many = self.share() > MOST_DIFFERING && 2 * self.elsewhere > self.differing;
        let moved = self.telling && (many || self.exchanged > 0);
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

/// Number of pairs of answers that occur the other way round as well.
fn exchanged(differing: &[(&Vec<u8>, &Vec<u8>)]) -> usize {
    let pairs: HashSet<_> = differing.iter().copied().collect();
    let is_long = |(a, b): &(&Vec<u8>, &Vec<u8>)| words(a).min(words(b)) >= WORDS_OF_AN_EXCHANGE;
    let back = |&(a, b): &(&Vec<u8>, &Vec<u8>)| pairs.contains(&(b, a));
    pairs.iter().copied().filter(is_long).filter(back).count() / 2
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

    #[test]
    fn misplaced_answers_differ_from_new_answers() {
        let a = answers(&["a", "b", "c", "d"]);
        let swapped = Comparison::of(&a, &answers(&["b", "a", "c", "d"]));
        assert_eq!(swapped.misplaced().unwrap().code, Code::Order);
        let behind = Comparison::of(&a, &answers(&["", "a", "b", "c"]));
        assert_eq!(behind.misplaced().unwrap().figure, "4 of 4 lines have another line's answer");
        let new = Comparison::of(&a, &answers(&["a", "b", "x", "y"]));
        assert_eq!(new.misplaced(), None);
        assert_eq!(new.changed().unwrap().code, Code::Nondeterministic);
        assert_eq!(Comparison::of(&a, &a).changed(), None);
    }

    #[test]
    fn two_lines_with_each_others_answer_are_enough() {
        let a: Vec<Vec<u8>> = (0..1000).map(|i| format!("answer number {i}").into_bytes()).collect();
        let mut b = a.clone();
        b.swap(10, 11);
        assert_eq!(
            Comparison::of(&a, &b).misplaced().unwrap().figure,
            "2 of 1000 lines have another line's answer"
        );
        b[10] = b"something else altogether".to_vec();
        assert_eq!(Comparison::of(&a, &b).misplaced(), None, "once is chance");
    }

    #[test]
    fn every_tenth_line_with_the_answer_before_is_misplaced() {
        let right: Vec<Vec<u8>> = (0..100).map(|i| format!("answer number {i}").into_bytes()).collect();
        let wrong = |offset: usize| {
            let at = |i: usize| if i % 10 == offset { &right[i - 1] } else { &right[i] };
            (0..100).map(|i| at(i).clone()).collect::<Vec<_>>()
        };
        assert_eq!(Comparison::of(&wrong(9), &wrong(4)).misplaced().unwrap().code, Code::Order);
    }

    #[test]
    fn few_different_answers_say_nothing_about_order() {
        let a = answers(&["yes", "no", "yes", "no"]);
        assert_eq!(Comparison::of(&a, &answers(&["no", "yes", "no", "yes"])).misplaced(), None);
    }

    #[test]
    fn one_line_of_a_hundred_is_rounding() {
        let a: Vec<Vec<u8>> = (0..100u8).map(|i| vec![i]).collect();
        let mut b = a.clone();
        b[3] = b"x".to_vec();
        assert_eq!(Comparison::of(&a, &b).changed(), None);
        b[4] = b"y".to_vec();
        assert!(Comparison::of(&a, &b).changed().is_some());
    }
}
