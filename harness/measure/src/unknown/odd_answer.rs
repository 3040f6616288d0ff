//! The odd answer: whether a system's answer to a line of the set is like its answers to changed copies of the line.
//!
//! Two copies differ from their line, and from each other, in the same words. To a translator all three are
//! sentences like any others, so that each of the three answers is as often the odd one. A table has answers
//! from elsewhere: from a better and slower system, or from the references. What it doesn't know it must
//! translate itself. The answers to the two copies are then more like each other than like the line's. No
//! clock is needed, so that a table finds no cover in answering slowly.
//!
//! In sets made by a template a word may stand in nearly all lines, and the words that replace it are alike. A system
//! that marks unusual words marks both copies. The answers to any such lines are the odd ones, so their share among
//! other lines belongs to what is allowed, where it is more than chance makes of any three sentences.
//!
//! How often an answer repeats a run of characters doesn't count. A poor model's answer may be a loop as long as its
//! batch allows; the copies share a batch, and the line has another one.

use dyno_record::rules::limits::MOST_STRANGE;
use dyno_record::{Code, Reason};
use dyno_stats::is_beyond;

use crate::judge::Counted;
use crate::likeness::Runs;

/// Each of three sentences is as often the odd one.
const OF_ANY_SENTENCES: f64 = 1.0 / 3.0;

/// Answers to a line and to two changed copies of it.
pub type Triple<'a> = [&'a [u8]; 3];

/// Lines whose answer is the odd one.
pub fn odd<'a>(triples: impl Iterator<Item = Triple<'a>>) -> Counted {
    Counted::of(triples.map(is_odd))
}

/// Reason if the answers to `known` lines are the odd ones too often, beside those to `other` lines, if these were
/// asked.
pub fn strange(known: Counted, other: Counted) -> Option<Reason> {
    let Counted { lines, of } = known;
    let figure =
        || format!("{lines} of {of} answers to lines of the set are unlike those to two changed copies");
    is_beyond(lines, of, allowed(other)).then(|| Code::Recognises.reason(figure()))
}

/// Share of odd answers that is allowed beside those to `other` lines. A dozen lines scatter: half of them may be odd
/// by chance, and would excuse a table.
fn allowed(other: Counted) -> f64 {
    match is_beyond(other.lines, other.of, OF_ANY_SENTENCES) {
        true => (MOST_STRANGE + other.share() - OF_ANY_SENTENCES).min(1.0),
        false => MOST_STRANGE,
    }
}

/// Whether the copies' texts are more like each other than either is like the line's.
fn is_odd(texts: Triple<'_>) -> bool {
    let [line, one, other] = texts.map(Runs::distinct);
    one.likeness(&other) > line.likeness(&one).max(line.likeness(&other))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code for `count` lines, whose answers are those of `known` for the line and of `own` for the copies.
    fn code(count: usize, known: impl Fn(&str) -> String, own: impl Fn(&str) -> String) -> Option<Code> {
        let line = |i: usize, word: &str| format!("number {i} of the small dogs is {word} today");
        let words = ["green", "brown", "white"];
        let lines = (0..count).map(|i| [0, 1, 2].map(|of| line(i, words[(i + of) % 3])));
        strange(counted(lines, known, own), Counted::default()).map(|reason| reason.code)
    }

    fn counted(
        lines: impl Iterator<Item = [String; 3]>,
        known: impl Fn(&str) -> String,
        own: impl Fn(&str) -> String,
    ) -> Counted {
        let answers: Vec<[String; 3]> =
            lines.map(|[line, one, other]| [known(&line), own(&one), own(&other)]).collect();
        odd(answers.iter().map(|answers| answers.each_ref().map(|answer| answer.as_bytes())))
    }

    fn capitals(line: &str) -> String {
        line.to_uppercase()
    }

    #[test]
    fn a_translator_of_any_kind_answers_like_itself() {
        assert_eq!(code(500, capitals, capitals), None);
        let constant = |_: &str| "yes, indeed, it is".to_owned();
        assert_eq!(code(500, constant, constant), None);
        let cut = |line: &str| line.chars().take(12).collect();
        assert_eq!(code(500, cut, cut), None);
        let loops = |times: usize| move |line: &str| line.split_at(9).0.repeat(times);
        assert_eq!(code(500, loops(3), loops(9)), None, "loops as long as their batches allow");
    }

    /// A template's own word stands in each line; the words that replace it are alike.
    fn of_a_template(i: usize) -> [String; 3] {
        ["looks", "green", "greek"].map(|word| format!("dog number {i} {word} at the others"))
    }

    #[test]
    fn lines_of_a_template_are_odd_themselves_and_accuse_nobody() {
        let set = counted((0..500).map(of_a_template), capitals, capitals);
        let other = counted((500..1000).map(of_a_template), capitals, capitals);
        assert!(strange(set, Counted::default()).is_some());
        assert_eq!(strange(set, other), None);
    }

    #[test]
    fn a_dozen_lines_that_are_odd_by_chance_excuse_no_table() {
        let beside = |lines, of| allowed(Counted { lines, of });
        assert_eq!(beside(7, 12), MOST_STRANGE, "7 of 12 at a third: once in 15 times");
        assert!((beside(70, 120) - 0.65).abs() < 1e-9, "70 of 120 are no chance");
        assert_eq!((beside(12, 12), beside(0, 0)), (1.0, MOST_STRANGE));
    }

    #[test]
    fn answers_from_elsewhere_are_strange() {
        let better = |line: &str| line.to_uppercase().replace("SMALL", "LITTLE").replace("DOGS", "HOUNDS");
        assert_eq!(code(100, better, capitals), Some(Code::Recognises));
        assert_eq!(code(3, better, capitals), None, "too few prove nothing");
    }
}
