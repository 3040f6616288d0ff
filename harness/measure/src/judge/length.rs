//! Lengths of a translator's answers: missing ones, far too long ones, and a total length that isn't the
//! references'.

use dyno_record::rules::limits::{
    EMPTY_SHARE, LENGTH_TOLERANCE, LONGEST_ORDINARY, MOST_REFERENCES, RUNAWAY_SHARE,
};
use dyno_record::{Code, Reason};
use dyno_stats::is_beyond;

use crate::constants::{TELLING_REFERENCES, WORDS_OF_A_TELLING_REFERENCE};
use crate::{TestSet, words};

/// Least number of characters that a line counts as: one word may well become three.
const SHORT: usize = 20;

/// Reasons from the answers of a whole round: broken rules and warnings.
pub fn judge_round(set: &TestSet, answers: &[Vec<u8>], factor: f64) -> Vec<Reason> {
    let references = set.references.first().map(|lines| lines.iter().cloned().map(Some).collect());
    let references: Vec<Option<String>> = references.unwrap_or_default();
    let lengths = missing(&set.source, answers).into_iter().chain(runaway(&set.source, answers, factor));
    lengths.chain(compare_lengths(&references, answers).1).chain(equal_references(set, answers)).collect()
}

fn equal_references(set: &TestSet, answers: &[Vec<u8>]) -> Option<Reason> {
    let counted = equal_to_references(set, answers);
    let figure = || format!("{} of {} answers equal a reference", counted.lines, counted.of);
    (counted.of >= TELLING_REFERENCES && counted.share() > MOST_REFERENCES)
        .then(|| Code::EqualsReferences.reason(figure()))
}

/// Lines of a kind among all that could be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Number of lines of the kind.
    pub lines: usize,
    /// Number of lines that could be.
    pub of: usize,
}

impl Counted {
    /// Counts lines, each of which is of the kind or isn't.
    pub fn of(are_so: impl Iterator<Item = bool>) -> Self {
        are_so.fold(Self::default(), |Self { lines, of }, is_so| Self {
            lines: lines + usize::from(is_so),
            of: of + 1,
        })
    }

    /// Share of the lines.
    pub fn share(self) -> f64 {
        self.lines as f64 / self.of.max(1) as f64
    }
}

/// Answers that equal a reference of their line, among lines whose reference is long enough to tell.
pub fn equal_to_references(set: &TestSet, answers: &[Vec<u8>]) -> Counted {
    let mut counted = Counted::default();
    for (line, answer) in answers.iter().enumerate() {
        let mut references = set.references.iter().map(|lines| lines[line].trim());
        if references.clone().any(|reference| words(reference.as_bytes()) >= WORDS_OF_A_TELLING_REFERENCE) {
            counted.of += 1;
            counted.lines +=
                usize::from(references.any(|reference| reference.as_bytes() == answer.trim_ascii()));
        }
    }
    counted
}

/// Reason for ordinary lines with an empty answer.
pub fn missing(lines: &[Vec<u8>], answers: &[Vec<u8>]) -> Option<Reason> {
    let counted = empty_answers(lines, answers);
    is_beyond(counted.lines, counted.of, EMPTY_SHARE)
        .then(|| Code::EmptyOutput.reason(format!("{} of {} ordinary lines", counted.lines, counted.of)))
}

/// Empty answers, among ordinary lines.
pub fn empty_answers(lines: &[Vec<u8>], answers: &[Vec<u8>]) -> Counted {
    let ordinary = |line: &[u8]| (1..=LONGEST_ORDINARY).contains(&words(line));
    let is_missing = |(line, answer): &(&Vec<u8>, &Vec<u8>)| ordinary(line) && words(answer) == 0;
    Counted {
        lines: lines.iter().zip(answers).filter(is_missing).count(),
        of: lines.iter().filter(|line| ordinary(line)).count(),
    }
}

/// Reason for answers that are far longer than their lines.
pub fn runaway(lines: &[Vec<u8>], answers: &[Vec<u8>], factor: f64) -> Option<Reason> {
    let counted = runaway_answers(lines, answers, factor);
    (counted.share() >= RUNAWAY_SHARE)
        .then(|| Code::Runaway.reason(format!("{} of {} lines", counted.lines, counted.of)))
}

/// Answers that are far longer than their lines.
pub fn runaway_answers(lines: &[Vec<u8>], answers: &[Vec<u8>], factor: f64) -> Counted {
    let runs = |(line, answer): &(&Vec<u8>, &Vec<u8>)| {
        characters(answer) as f64 > factor * characters(line).max(SHORT) as f64
    };
    Counted { lines: lines.iter().zip(answers).filter(runs).count(), of: lines.len() }
}

/// Compares the answers with their references: the ratio of the characters, and a reason if the ratio is out
/// of tolerance.
pub fn compare_lengths(references: &[Option<String>], answers: &[Vec<u8>]) -> (Option<f64>, Option<Reason>) {
    let pairs =
        references.iter().zip(answers).filter_map(|(reference, answer)| Some((reference.as_ref()?, answer)));
    let (mut expected, mut given) = (0, 0);
    for (reference, answer) in pairs {
        expected += characters(reference.as_bytes());
        given += characters(answer);
    }
    if expected == 0 {
        return (None, None);
    }
    let ratio = given as f64 / expected as f64;
    let figure = || format!("{:.0} % of the references' characters", ratio * 100.0);
    let off = (ratio - 1.0).abs() > LENGTH_TOLERANCE;
    (Some(ratio), off.then(|| Code::Length.reason(figure())))
}

fn characters(text: &[u8]) -> usize {
    String::from_utf8_lossy(text).chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(pairs: &[(&str, &str)]) -> Vec<Code> {
        let lines: Vec<Vec<u8>> = pairs.iter().map(|(line, _)| line.as_bytes().to_vec()).collect();
        let answers: Vec<Vec<u8>> = pairs.iter().map(|(_, answer)| answer.as_bytes().to_vec()).collect();
        let reasons = missing(&lines, &answers).into_iter().chain(runaway(&lines, &answers, 2.0));
        reasons.map(|reason| reason.code).collect()
    }

    #[test]
    fn empty_answers_count_for_ordinary_lines_alone() {
        assert_eq!(codes(&[("a dog", ""), ("a cat", "eine Katze")]), [Code::EmptyOutput]);
        assert_eq!(codes(&[("", ""), ("a cat", "eine Katze")]), []);
        let of_eighty = |empty: usize| {
            codes(&std::array::from_fn::<_, 80, _>(|i| ("a cat", if i < empty { "" } else { "eine Katze" })))
        };
        assert_eq!(
            (of_eighty(3), of_eighty(4)),
            (vec![], vec![Code::EmptyOutput]),
            "chance adds to few lines"
        );
    }

    #[test]
    fn an_answer_of_more_than_twice_the_characters_runs_away() {
        let line = "a line of thirty characters ok";
        assert_eq!(codes(&[(line, &line.repeat(2))]), []);
        assert_eq!(codes(&[(line, &line.repeat(3))]), [Code::Runaway]);
        let long = [line.repeat(3).into_bytes()];
        assert_eq!(runaway(&[line.into()], &long, 3.0), None, "wordy on purpose");
        assert_eq!(codes(&[("Yes", "Ja, aber selbstverständlich")]), [], "short lines have room");
    }

    #[test]
    fn answers_that_are_mostly_references_are_told() {
        let lines = |text: &str| (0..12).map(|i| format!("{text} {i}")).collect::<Vec<_>>();
        let mut set = TestSet::from_lines("set", lines("a dog"));
        let references = [lines("ein Hund läuft über die"), lines("der Hund rennt quer über die")];
        set.references = references.to_vec();
        let answers = |equal: usize| -> Vec<Vec<u8>> {
            let other = |line: usize| format!("ein anderer Satz {line}").into_bytes();
            (0..12).map(|i| if i < equal { references[i % 2][i].clone().into() } else { other(i) }).collect()
        };
        assert_eq!(equal_references(&set, &answers(6)), None);
        let reason = equal_references(&set, &answers(7)).expect("a warning");
        assert_eq!(reason.figure, "7 of 12 answers equal a reference");
        set.references = vec![lines("ein Hund")];
        assert_eq!(equal_references(&set, &answers(0)), None, "short references are found by anybody");
    }

    #[test]
    fn lengths_are_compared_with_the_references() {
        let references = [Some("0123456789".to_owned()), None];
        let answer = |text: &str| [text.as_bytes().to_vec(), b"whatever".to_vec()];
        assert_eq!(compare_lengths(&references, &answer("012345678")).1, None);
        let (ratio, reason) = compare_lengths(&references, &answer("01234567"));
        assert_eq!(ratio, Some(0.8));
        assert_eq!(reason.unwrap().code, Code::Length);
        assert_eq!(compare_lengths(&[None], &answer("x")[..1]), (None, None));
    }
}
