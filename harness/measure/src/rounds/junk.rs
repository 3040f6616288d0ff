//! Junk: answers that are no other translation of their line.
//!
//! A line's answer may honestly differ when the line comes again, as its neighbours in a batch do. The other
//! answer is then a translation too, with most of the first one's words. A system that saves work leaves such
//! a line empty, copies it, or writes anything.

use dyno_record::rules::limits::MOST_JUNK;
use dyno_record::{Code, Reason};
use dyno_stats::is_beyond;

use crate::likeness::{RUN, Runs};

/// Least likeness of two translations of a line: twice their common runs of three characters, as a share of
/// all runs (Dice's coefficient). Translations of one line in two batches share far more, those of two
/// different captions less.
pub const LEAST_LIKENESS: f64 = 0.3;
/// Characters of an answer from which on likeness tells anything: "Yes." may well become "Indeed."
pub const TELLING_CHARACTERS: usize = 20;

/// A line, its answer, and its answer at another time.
pub type Again<'a> = (&'a [u8], &'a [u8], &'a [u8]);

/// Reason if too many of `lines` lines have junk for one of their answers. A system that samples may give a
/// line two translations without common words.
pub fn junk<'a>(answers: impl Iterator<Item = Again<'a>>, lines: usize, sampling: bool) -> Option<Reason> {
    let is_junk =
        |&(line, one, other): &Again<'_>| is_spared(line, one, other) || !sampling && !alike(one, other);
    let junk = answers.filter(is_junk).count();
    let figure = || format!("{junk} of {lines} lines have no translation when they come again");
    is_beyond(junk, lines, MOST_JUNK).then(|| Code::Junk.reason(figure()))
}

/// Whether one answer, and not both, is empty or copies its line.
fn is_spared(line: &[u8], one: &[u8], other: &[u8]) -> bool {
    let [line, one, other] = [line, one, other].map(<[u8]>::trim_ascii);
    let is_none = |answer: &[u8]| answer.is_empty() || answer == line;
    one != other && (is_none(one) || is_none(other))
}

/// Whether two answers have enough in common for translations of one line.
pub fn alike(one: &[u8], other: &[u8]) -> bool {
    if one == other {
        return true;
    }
    let (one, other) = (Runs::of(one), Runs::of(other));
    one.total.min(other.total) + RUN <= TELLING_CHARACTERS || one.likeness(&other) >= LEAST_LIKENESS
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "Two dogs run across a green field.";
    const ANSWER: &str = "Zwei Hunde rennen über eine grüne Wiese.";

    /// Code for a hundred lines, `count` of which get `other` when they come again.
    fn code(count: usize, other: &str, sampling: bool) -> Option<Code> {
        let again = |i: usize| if i < count { other } else { ANSWER };
        let answers = (0..100).map(|i| (LINE.as_bytes(), ANSWER.as_bytes(), again(i).as_bytes()));
        junk(answers, 100, sampling).map(|reason| reason.code)
    }

    #[test]
    fn another_translation_is_no_junk() {
        for other in ["Zwei Hunde laufen über ein grünes Feld.", "Zwei Hunde rennen über das grüne Gras"]
        {
            assert_eq!(code(100, other, false), None, "{other}");
        }
        assert_eq!(code(100, ANSWER, false), None);
    }

    #[test]
    fn copies_gaps_and_any_other_text_are_junk_beyond_one_in_a_hundred() {
        for other in [LINE, "", " ", "Ein Mann mit Hut liest in einem Buch."] {
            assert_eq!(code(4, other, false), Some(Code::Junk), "{other}");
            assert_eq!(code(3, other, false), None, "chance: {other}");
        }
    }

    #[test]
    fn a_sample_may_be_any_translation_but_no_copy() {
        assert_eq!(code(100, "Ein Mann mit Hut liest in einem Buch.", true), None);
        assert_eq!(code(100, LINE, true), Some(Code::Junk));
    }

    #[test]
    fn systems_that_copy_on_purpose_and_short_answers_are_left_alone() {
        let line = |line: &'static str, one: &'static str, other: &'static str| {
            junk(std::iter::repeat_n((line.as_bytes(), one.as_bytes(), other.as_bytes()), 50), 50, false)
        };
        assert_eq!(line("A", "A", "A"), None);
        assert_eq!(line("", "", ""), None);
        assert_eq!(line("Yes.", "Ja.", "Genau."), None);
    }
}
