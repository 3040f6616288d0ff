//! Lines that come again: whether they get the same answer, or at least another translation.
//!
//! A line's answer may honestly differ when the line comes again, as its neighbours in a batch do. The other
//! answer is then a translation too, with most of the first one's words. A system that saves work leaves such
//! a line empty, copies it, or writes anything: its answer is junk.

use dyno_record::rules::limits::MOST_JUNK;
use dyno_record::{Code, Reason};
use dyno_stats::{is_beyond, sign_test};

use crate::constants::{LEAST_LIKENESS, MOST_CHANGED, TELLING_CHARACTERS};
use crate::judge::lines::SIGNIFICANT_IN_A_ROUND;
use crate::likeness::{RUN, Runs};
use crate::vectors;

/// A line, its answer, and its answer at another time.
pub type Again<'a> = [&'a [u8]; 3];

/// Reason if more answers differ than a batch's neighbours and chance explain: as texts, or as vectors.
pub fn changed(again: &[Again<'_>], translates: bool, when: &str) -> Option<Reason> {
    let is_same = |one, other| if translates { one == other } else { vectors::same(one, other) };
    let differing = again.iter().filter(|[_, one, other]| !is_same(*one, *other)).count();
    let figure = || format!("{differing} of {} lines differ {when}", again.len());
    is_beyond(differing, again.len(), MOST_CHANGED).then(|| Code::Nondeterministic.reason(figure()))
}

/// Reason if too many lines have junk for one of their answers. A system that samples may give a line two translations
/// without common words, and copy a line now and then, at either time: it has junk where one time has more of that.
pub fn junk(again: &[Again<'_>], sampling: bool) -> Option<Reason> {
    let count = |is_so: fn(&Again<'_>) -> bool| again.iter().filter(|again| is_so(again)).count();
    let junk = match sampling {
        true => more_at_one_time([
            count(|[line, one, other]| is_spared(line, one, other)),
            count(|[line, one, other]| is_spared(line, other, one)),
        ]),
        false => count(|[line, one, other]| {
            is_spared(line, one, other) || is_spared(line, other, one) || !alike(one, other)
        }),
    };
    let figure = || format!("{junk} of {} lines have no translation when they come again", again.len());
    is_beyond(junk, again.len(), MOST_JUNK).then(|| Code::Junk.reason(figure()))
}

/// How many more there are at one time than at the other, if chance doesn't make the difference.
fn more_at_one_time(counts: [usize; 2]) -> usize {
    let [few, many] = [counts[0].min(counts[1]), counts[0].max(counts[1])];
    if sign_test(few, many) < SIGNIFICANT_IN_A_ROUND { many - few } else { 0 }
}

/// Whether an answer is empty or copies its line, unlike the other one.
fn is_spared(line: &[u8], answer: &[u8], other: &[u8]) -> bool {
    let [line, answer, other] = [line, answer, other].map(<[u8]>::trim_ascii);
    answer != other && (answer.is_empty() || answer == line)
}

/// Whether two answers have enough in common for translations of one line.
fn alike(one: &[u8], other: &[u8]) -> bool {
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
        let answers = (0..100).map(|i| [LINE, ANSWER, again(i)].map(str::as_bytes));
        junk(&answers.collect::<Vec<_>>(), sampling).map(|reason| reason.code)
    }

    #[test]
    fn a_fifth_of_lines_may_differ_and_chance_adds_to_few_lines() {
        let caught = |differing, lines: usize| {
            let other = |i| if i < differing { "other" } else { "one" };
            let again: Vec<_> = (0..lines).map(|i| ["line", "one", other(i)].map(str::as_bytes)).collect();
            changed(&again, true, "").is_some()
        };
        assert!(!caught(1084, 5000) && caught(1085, 5000));
        assert!(!caught(32, 100) && caught(33, 100));
        assert!(!caught(5, 10) && caught(6, 10));
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
    fn a_sample_may_be_a_copy_now_and_then_at_either_time() {
        let copies = |earlier: usize, later: usize| {
            let said = |i: usize, from: usize, count: usize| {
                if (from..from + count).contains(&i) { LINE } else { ANSWER }
            };
            let again = |i| [LINE, said(i, 0, earlier), said(i, 500, later)].map(str::as_bytes);
            junk(&(0..1000).map(again).collect::<Vec<_>>(), true).map(|reason| reason.code)
        };
        assert_eq!((copies(50, 50), copies(50, 80), copies(0, 15)), (None, None, None));
        assert_eq!((copies(0, 40), copies(60, 0)), (Some(Code::Junk), Some(Code::Junk)));
    }

    #[test]
    fn systems_that_copy_on_purpose_and_short_answers_are_left_alone() {
        let line = |line: &'static str, one: &'static str, other: &'static str| {
            junk(&[[line, one, other].map(str::as_bytes); 50], false)
        };
        assert_eq!(line("A", "A", "A"), None);
        assert_eq!(line("", "", ""), None);
        assert_eq!(line("Yes.", "Ja.", "Genau."), None);
    }
}
