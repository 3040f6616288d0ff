//! Counts of a text over all lines, and the lines where something was lost.

use std::cmp::Reverse;

use dyno_measure::TestSet;
use serde::Serialize;

use super::kept::Kept;
use super::kind::Kind;
use super::line::{Languages, Line};

/// Items of one kind in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct KindCount {
    /// Kind of the items.
    pub kind: Kind,
    /// Items of the source, and those that the answers keep.
    #[serde(flatten)]
    pub kept: Kept,
}

/// A line of which an answer has lost something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Index of the line.
    pub line: usize,
    /// What of the line is kept.
    pub kept: Kept,
}

/// What an answer keeps of a line, by kind in the order of [`Kind::ALL`].
pub type KeptOfLine = [Kept; Kind::ALL.len()];

/// Counts of all kinds; empty if the answers aren't those of a translator to this set.
pub fn counts(set: &TestSet, answers: &[String], languages: Languages) -> Vec<KindCount> {
    let lines = of_lines(set, answers, languages);
    let sum =
        |(place, kind): (usize, Kind)| KindCount { kind, kept: lines.iter().map(|kept| kept[place]).sum() };
    let kinds = Kind::ALL.into_iter().enumerate().filter(|_| !lines.is_empty());
    kinds.map(sum).collect()
}

/// Lines of which the answers have lost something, by kind in the order of [`Kind::ALL`], the greatest loss
/// first.
pub fn losses(set: &TestSet, answers: &[String], languages: Languages) -> [Vec<Loss>; Kind::ALL.len()] {
    let mut lost = Kind::ALL.map(|_| Vec::new());
    for (line, all) in of_lines(set, answers, languages).into_iter().enumerate() {
        for (kept, lost) in all.into_iter().zip(&mut lost) {
            lost.extend((kept.lost() > 0).then_some(Loss { line, kept }));
        }
    }
    lost.iter_mut().for_each(|lost| lost.sort_by_key(|loss| Reverse(loss.kept.lost())));
    lost
}

/// What the answer to each line keeps of it; empty if the answers aren't those of a translator to this set.
pub fn of_lines(set: &TestSet, answers: &[String], languages: Languages) -> Vec<KeptOfLine> {
    if answers.len() != set.source.len() || !set.gold.is_empty() {
        return Vec::new();
    }
    let kept = |(place, (source, answer)): (usize, (&Vec<u8>, &String))| {
        let source = String::from_utf8_lossy(source);
        let references = set.references.iter().filter_map(|lines| lines.get(place)).map(String::as_str);
        let line = Line::new(&source, answer, references, languages);
        Kind::ALL.map(|kind| kind.count(&line))
    };
    set.source.iter().zip(answers).enumerate().map(kept).collect()
}
