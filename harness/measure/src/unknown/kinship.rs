//! Kinship: whether a system's answer to a line of the set is like its answers to changed copies of the line.
//!
//! Two copies differ from their line, and from each other, in the same words. To a translator all three are
//! sentences like any others, so that each of the three answers is as often the odd one. A table has answers
//! from elsewhere: from a better and slower system, or from the references. What it doesn't know it must
//! translate itself. The answers to the two copies are then more like each other than like the line's. No
//! clock is needed, so that a table finds no cover in answering slowly.
//!
//! How often an answer repeats a run of characters doesn't count. A poor model's answer may be a loop as long as its
//! batch allows; the copies share a batch, and the line has another one.

use dyno_record::rules::limits::MOST_STRANGE;
use dyno_record::{Code, Reason};
use dyno_stats::is_beyond;

use crate::likeness::Runs;

/// Answers to a line of the set and to two changed copies of it.
pub(super) type Kin<'a> = [&'a [u8]; 3];

/// Reason if the answers to lines of the set are too often the odd ones.
pub(super) fn strange<'a>(kin: impl Iterator<Item = Kin<'a>>) -> Option<Reason> {
    let (mut strange, mut all) = (0, 0);
    for answers in kin {
        all += 1;
        strange += usize::from(is_strange(answers));
    }
    let figure =
        || format!("{strange} of {all} answers to lines of the set are unlike those to two changed copies");
    is_beyond(strange, all, MOST_STRANGE).then(|| Code::Recognises.reason(figure()))
}

/// Whether the answers to the copies are more like each other than either is like the line's.
fn is_strange(answers: Kin<'_>) -> bool {
    let [line, one, other] = answers.map(Runs::distinct);
    one.likeness(&other) > line.likeness(&one).max(line.likeness(&other))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code for `count` lines, whose answers are those of `known` for the line and of `own` for the copies.
    fn code(count: usize, known: impl Fn(&str) -> String, own: impl Fn(&str) -> String) -> Option<Code> {
        let line = |i: usize, word: &str| format!("number {i} of the small dogs is {word} today");
        let words = ["green", "brown", "white"];
        let answers: Vec<[String; 3]> = (0..count)
            .map(|i| {
                let [a, b, c] = [0, 1, 2].map(|of| line(i, words[(i + of) % 3]));
                [known(&a), own(&b), own(&c)]
            })
            .collect();
        let kin = answers.iter().map(|answers| answers.each_ref().map(|answer| answer.as_bytes()));
        strange(kin).map(|reason| reason.code)
    }

    fn capitals(line: &str) -> String {
        line.to_uppercase()
    }

    #[test]
    fn a_translator_of_any_kind_is_kin_to_itself() {
        assert_eq!(code(500, capitals, capitals), None);
        let constant = |_: &str| "yes, indeed, it is".to_owned();
        assert_eq!(code(500, constant, constant), None);
        let cut = |line: &str| line.chars().take(12).collect();
        assert_eq!(code(500, cut, cut), None);
        let loops = |times: usize| move |line: &str| line.split_at(9).0.repeat(times);
        assert_eq!(code(500, loops(3), loops(9)), None, "loops as long as their batches allow");
    }

    #[test]
    fn answers_from_elsewhere_are_strange() {
        let better = |line: &str| line.to_uppercase().replace("SMALL", "LITTLE").replace("DOGS", "HOUNDS");
        assert_eq!(code(100, better, capitals), Some(Code::Recognises));
        assert_eq!(code(3, better, capitals), None, "too few prove nothing");
    }
}
