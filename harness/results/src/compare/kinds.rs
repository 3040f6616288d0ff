//! Kinds of which the candidate's answers keep more or less than the baseline's.
//!
//! They are shown beside the score and are no part of a verdict: a score may be equal where one side has lost
//! numbers.

use dyno_measure::TestSet;
use dyno_stats::numbers::p_value;
use dyno_stats::{holm, sign_test};
use serde::Serialize;

use crate::kinds::{Counter, Kept, KeptOfLine, Kind, Languages};

/// A kind of which the two sides keep different items.
#[derive(Debug, PartialEq, Serialize)]
pub struct KindChange {
    /// Kind of the items.
    pub kind: Kind,
    /// What the baseline keeps.
    pub baseline: Kept,
    /// What the candidate keeps.
    pub candidate: Kept,
    /// Number of lines of which the candidate keeps less.
    pub less: usize,
    /// Number of lines of which it keeps more.
    pub more: usize,
    /// Two-sided p value of the sign test over these lines, after Holm's correction over all kinds.
    pub p: f64,
}

/// Kinds with lines of which one side keeps less. The answers are the candidate's, then the baseline's.
pub(super) fn changes(
    set: &TestSet,
    (ours, theirs): (&[String], &[String]),
    languages: Languages,
) -> Vec<KindChange> {
    let mut counter = Counter::new(set, languages);
    let [ours, theirs] = [ours, theirs].map(|answers| counter.of_lines(answers));
    let change = |(place, kind): (usize, Kind)| {
        let of = |lines: &[KeptOfLine]| lines.iter().map(|kept| kept[place]).collect::<Vec<_>>();
        let (ours, theirs) = (of(&ours), of(&theirs));
        let count = |is: fn(usize, usize) -> bool| {
            ours.iter().zip(&theirs).filter(|(ours, theirs)| is(ours.kept, theirs.kept)).count()
        };
        let (less, more) = (count(|ours, theirs| ours < theirs), count(|ours, theirs| ours > theirs));
        let p = (2.0 * sign_test(less.min(more), less.max(more))).min(1.0);
        let [baseline, candidate] = [theirs, ours].map(|kept| kept.into_iter().sum::<Kept>());
        KindChange { kind, baseline, candidate, less, more, p }
    };
    let mut all: Vec<KindChange> = Kind::ALL.into_iter().enumerate().map(change).collect();
    let adjusted = holm(&all.iter().map(|change| change.p).collect::<Vec<_>>());
    all.iter_mut().zip(adjusted).for_each(|(change, p)| change.p = p);
    all.retain(|change| change.less + change.more > 0);
    all
}

impl KindChange {
    /// The change in a line.
    pub fn about(&self) -> String {
        let share = |kept: Kept| format!("{:.1} %", kept.share().unwrap_or(1.0) * 100.0);
        let Self { kind, less, more, .. } = self;
        let (ours, theirs, p) = (share(self.candidate), share(self.baseline), p_value(self.p));
        format!("{} kept: {ours}, before {theirs} (less in {less}, more in {more} lines; p {p})", kind.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|&line| line.into()).collect()
    }

    #[test]
    fn lost_numbers_are_a_change_and_other_words_are_none() {
        let source = ["12 cats", "3 dogs", "no number", "450 birds"];
        let set = TestSet::from_lines("set", source);
        let theirs = texts(&["12 Katzen", "3 Hunde", "keine Zahl", "450 Vögel"]);
        let ours = texts(&["Katzen", "3 Hunde", "nichts", "45 Vögel"]);
        let found = changes(&set, (&ours, &theirs), Languages::Other);
        let numbers = found.iter().find(|change| change.kind == Kind::Numbers).unwrap();
        assert_eq!((numbers.baseline.found, numbers.baseline.kept, numbers.candidate.kept), (3, 3, 1));
        assert_eq!((numbers.less, numbers.more), (2, 0));
        // Two tosses of a fair coin show two tails in a quarter of cases, one-sided; nine kinds were asked.
        assert_eq!(numbers.p, 1.0);
        assert_eq!(
            numbers.about(),
            "numbers kept: 33.3 %, before 100.0 % (less in 2, more in 0 lines; p 1.000)"
        );
        assert!(changes(&set, (&theirs, &theirs), Languages::Other).is_empty());
    }

    #[test]
    fn a_loss_on_many_lines_is_sure() {
        let source: Vec<String> = (100..140).map(|number| format!("{number} cats")).collect();
        let set = TestSet::from_lines("set", source.clone());
        let ours = vec!["Katzen".to_owned(); 40];
        let found = changes(&set, (&ours, &source), Languages::Other);
        let numbers = found.iter().find(|change| change.kind == Kind::Numbers).unwrap();
        assert_eq!((numbers.less, numbers.more), (40, 0));
        assert!(numbers.p < 1e-9, "{}", numbers.p);
        let shorter = changes(&set, (&ours[..39], &source), Languages::Other);
        assert!(shorter.is_empty(), "texts of different lengths can't be compared line by line");
    }
}
