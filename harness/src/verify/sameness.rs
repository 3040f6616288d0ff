//! Sameness: the tracks' texts, line by line.

use std::collections::HashSet;

use super::{Code, Examinee, Heard, Reason, lines};
use crate::exit::Outcome;
use crate::rounds::MOST_DIFFERING;

/// Lines that are compared.
const LINES: usize = 150;

pub(super) fn ask(examinee: &Examinee<'_>) -> Outcome<Heard> {
    let [first, others @ ..] = examinee.tracks.as_slice() else { return Ok(Heard::default()) };
    if others.is_empty() {
        return Ok(Heard::note("one track alone"));
    }
    let lines = examinee.affordable(lines::ordinary(examinee, LINES, "sameness"))?;
    let expected = match examinee.answers(*first, &lines)? {
        Ok(answers) => answers,
        Err(failed) => return Ok(failed),
    };
    let mut heard = Heard::note(format!("{} lines have one text in all tracks", lines.len()));
    for &track in others {
        match examinee.answers(track, &lines)? {
            Ok(answers) => {
                let comparison = Comparison::of(&expected, &answers);
                let differing = comparison.differing;
                let differs = || Code::TracksDiffer.reason(format!("{differing} of {} lines", lines.len()));
                let reason = comparison.misplaced().or_else(|| (differing > 0).then(differs));
                heard.add(track, reason);
            }
            Err(failed) => heard.findings.extend(failed.findings),
        }
    }
    Ok(heard)
}

/// Two lists of answers to the same lines.
#[derive(Debug, PartialEq, Eq)]
pub struct Comparison {
    /// How many there are.
    pub lines: usize,
    /// Lines whose answers differ.
    pub differing: usize,
    /// Of those, how many have the answer of another line.
    elsewhere: usize,
    /// Whether most lines have an answer of their own; else an answer found elsewhere says nothing.
    telling: bool,
}

impl Comparison {
    /// Compares `b` with `a`.
    pub fn of(a: &[Vec<u8>], b: &[Vec<u8>]) -> Self {
        let known: HashSet<&Vec<u8>> = a.iter().collect();
        let differing: Vec<&Vec<u8>> = a.iter().zip(b).filter(|(a, b)| a != b).map(|(_, b)| b).collect();
        Self {
            lines: a.len(),
            differing: differing.len(),
            elsewhere: differing.iter().filter(|answer| known.contains(*answer)).count(),
            telling: 2 * known.len() > a.len(),
        }
    }

    fn share(&self) -> f64 {
        self.differing as f64 / self.lines.max(1) as f64
    }

    /// Whether answers stand at other lines' places.
    pub fn misplaced(&self) -> Option<Reason> {
        let moved = self.telling && self.share() > MOST_DIFFERING && 2 * self.elsewhere > self.differing;
        let figure = || format!("{} of {} lines have another line's answer", self.elsewhere, self.lines);
        moved.then(|| Code::Order.reason(figure()))
    }

    /// Whether more differs than rounding explains.
    pub fn changed(&self) -> Option<Reason> {
        let figure = || format!("{} of {} lines differ", self.differing, self.lines);
        (self.share() > MOST_DIFFERING).then(|| Code::Nondeterministic.reason(figure()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(texts: &[&str]) -> Vec<Vec<u8>> {
        texts.iter().map(|text| text.as_bytes().to_vec()).collect()
    }

    #[test]
    fn an_answer_at_another_lines_place_is_told_from_a_new_text() {
        let a = answers(&["a", "b", "c", "d"]);
        let swapped = Comparison::of(&a, &answers(&["b", "a", "c", "d"]));
        assert_eq!(swapped.misplaced().unwrap().code, Code::Order);
        let behind = Comparison::of(&a, &answers(&["", "a", "b", "c"]));
        assert_eq!(behind.misplaced().unwrap().figure, "3 of 4 lines have another line's answer");
        let new = Comparison::of(&a, &answers(&["a", "b", "x", "y"]));
        assert_eq!(new.misplaced(), None);
        assert_eq!(new.changed().unwrap().code, Code::Nondeterministic);
        assert_eq!(Comparison::of(&a, &a).changed(), None);
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
