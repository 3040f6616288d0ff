//! Counts of a text over all lines, and the lines where something was lost.

use std::cmp::Reverse;
use std::collections::HashMap;

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

/// Counts what answers to a test set keep of it. Systems share most of their answers, so each answer to a line is
/// counted once.
pub struct Counter<'a> {
    set: &'a TestSet,
    languages: Languages,
    known: HashMap<(usize, &'a str), KeptOfLine>,
}

impl<'a> Counter<'a> {
    /// A counter of answers in these languages.
    pub fn new(set: &'a TestSet, languages: Languages) -> Self {
        Self { set, languages, known: HashMap::new() }
    }

    /// What the answer to each line keeps of it; empty if the answers aren't those of a translator to this set.
    pub fn of_lines(&mut self, answers: &'a [String]) -> Vec<KeptOfLine> {
        let (set, languages) = (self.set, self.languages);
        if answers.len() != set.source.len() || !set.gold.is_empty() {
            return Vec::new();
        }
        let count = |place: usize, answer: &str| {
            let source = String::from_utf8_lossy(&set.source[place]);
            let references = set.references.iter().filter_map(|lines| lines.get(place)).map(String::as_str);
            let line = Line::new(&source, answer, references, languages);
            Kind::ALL.map(|kind| kind.count(&line))
        };
        let mut kept = |(place, answer): (usize, &'a String)| {
            *self.known.entry((place, answer)).or_insert_with(|| count(place, answer))
        };
        answers.iter().enumerate().map(&mut kept).collect()
    }

    /// Counts of all kinds; empty if the answers aren't those of a translator to this set.
    pub fn counts(&mut self, answers: &'a [String]) -> Vec<KindCount> {
        let lines = self.of_lines(answers);
        let sum = |(place, kind): (usize, Kind)| KindCount {
            kind,
            kept: lines.iter().map(|kept| kept[place]).sum(),
        };
        let kinds = Kind::ALL.into_iter().enumerate().filter(|_| !lines.is_empty());
        kinds.map(sum).collect()
    }

    /// Lines of which the answers have lost something, by kind in the order of [`Kind::ALL`], the greatest loss
    /// first.
    pub fn losses(&mut self, answers: &'a [String]) -> [Vec<Loss>; Kind::ALL.len()] {
        let mut lost = Kind::ALL.map(|_| Vec::new());
        for (line, all) in self.of_lines(answers).into_iter().enumerate() {
            for (kept, lost) in all.into_iter().zip(&mut lost) {
                lost.extend((kept.lost() > 0).then_some(Loss { line, kept }));
            }
        }
        lost.iter_mut().for_each(|lost| lost.sort_by_key(|loss| Reverse(loss.kept.lost())));
        lost
    }
}
