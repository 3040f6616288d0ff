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

/// Counts of all kinds; empty if the answers aren't those of a translator to this set.
pub fn counts(set: &TestSet, answers: &[String], languages: Languages) -> Vec<KindCount> {
    if answers.len() != set.source.len() || !set.gold.is_empty() {
        return Vec::new();
    }
    let mut all = Kind::ALL.map(|kind| KindCount { kind, kept: Kept::default() });
    each_line(set, answers, languages, |_, line| {
        for count in &mut all {
            let Kept { found, kept } = count.kind.count(line);
            count.kept.found += found;
            count.kept.kept += kept;
        }
    });
    all.into()
}

/// Lines of which the answers have lost something, by kind in the order of [`Kind::ALL`], the greatest loss
/// first.
pub fn losses(set: &TestSet, answers: &[String], languages: Languages) -> [Vec<Loss>; Kind::ALL.len()] {
    let mut lost = Kind::ALL.map(|_| Vec::new());
    if answers.len() == set.source.len() {
        each_line(set, answers, languages, |place, line| {
            for (kind, lost) in Kind::ALL.into_iter().zip(&mut lost) {
                let kept = kind.count(line);
                lost.extend((kept.lost() > 0).then_some(Loss { line: place, kept }));
            }
        });
    }
    lost.iter_mut().for_each(|lost| lost.sort_by_key(|loss| Reverse(loss.kept.lost())));
    lost
}

fn each_line(set: &TestSet, answers: &[String], languages: Languages, mut see: impl FnMut(usize, &Line<'_>)) {
    for (place, (source, answer)) in set.source.iter().zip(answers).enumerate() {
        let source = String::from_utf8_lossy(source);
        let references = set.references.iter().filter_map(|lines| lines.get(place)).map(String::as_str);
        see(place, &Line::new(&source, answer, references, languages));
    }
}
