//! Quality by kind: what a translation keeps of its source, counted without a model.
//!
//! A score of a whole text hides what users notice first: a wrong number, a lost tag, a missing "not". Each
//! kind counts what of it stands in the source lines, and how much of that the answers keep. The counts are
//! exact and the same on every host, so that two precisions of one model can be told apart line by line. What
//! an answer adds isn't counted.
//!
//! | module | owns |
//! | --- | --- |
//! | `line` | a line as the kinds read it: texts with and without markup, words, languages |
//! | `numbers`, `dates`, `names`, `markup`, `quotes`, `negation` | what a line holds: items of the source, and those that the answer keeps |
//! | `length`, `repetition`, `untranslated` | how a line is: one item for each line, kept if the line is as it should be |
//! | `counts` | the counts of a text, and the lines where something was lost |

mod counts;
mod dates;
mod length;
mod line;
mod markup;
mod names;
mod negation;
mod numbers;
mod quotes;
mod repetition;
#[cfg(test)]
mod tests;
mod untranslated;

use serde::Serialize;

pub use counts::{KindCount, Loss, counts, losses};
pub use line::{Languages, Line};

/// Kind of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Numbers in digits.
    Numbers,
    /// Days, months and weekdays.
    Dates,
    /// Names that a reference copies.
    Names,
    /// Tags, placeholders, URLs and addresses.
    Markup,
    /// Pairs of quotation marks.
    Quotes,
    /// Words that negate.
    Negation,
    /// Lines of a fit length.
    Length,
    /// Lines without a loop.
    Repetition,
    /// Lines without words of the source's language.
    Untranslated,
}

/// Items of a kind in a line or a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// Number of items in the source.
    pub found: usize,
    /// Number of these that the answer keeps.
    pub kept: usize,
}

impl Kind {
    /// All kinds, in the order of tables.
    pub const ALL: [Self; 9] = [
        Self::Numbers,
        Self::Dates,
        Self::Names,
        Self::Markup,
        Self::Quotes,
        Self::Negation,
        Self::Length,
        Self::Repetition,
        Self::Untranslated,
    ];

    /// Name in files.
    pub const fn name(self) -> &'static str {
        self.facts().0
    }

    /// Name of what is kept, as people read it.
    pub const fn head(self) -> &'static str {
        match self {
            Self::Length => "fit length",
            Self::Repetition => "no loops",
            Self::Untranslated => "all translated",
            kind => kind.name(),
        }
    }

    /// Items of the kind in a line, and those that its answer keeps.
    pub fn count(self, line: &Line<'_>) -> Kept {
        self.facts().1(line)
    }

    const fn facts(self) -> (&'static str, fn(&Line<'_>) -> Kept) {
        match self {
            Self::Numbers => ("numbers", numbers::count),
            Self::Dates => ("dates", dates::count),
            Self::Names => ("names", names::count),
            Self::Markup => ("markup", markup::count),
            Self::Quotes => ("quotes", quotes::count),
            Self::Negation => ("negation", negation::count),
            Self::Length => ("length", length::count),
            Self::Repetition => ("repetition", repetition::count),
            Self::Untranslated => ("untranslated", untranslated::count),
        }
    }
}

impl Kept {
    /// Of so many items in the source so many that stand in the answer.
    fn of(found: usize, there: usize) -> Self {
        Self { found, kept: found.min(there) }
    }

    /// A line that is, or isn't, as it should be.
    fn line(is_kept: bool) -> Self {
        Self { found: 1, kept: usize::from(is_kept) }
    }

    /// Number of lost items.
    pub const fn lost(self) -> usize {
        self.found - self.kept
    }

    /// Share that is kept; none if the source holds nothing of the kind.
    pub fn share(self) -> Option<f64> {
        (self.found > 0).then(|| self.kept as f64 / self.found as f64)
    }
}

/// Items of `wanted` that `there` has too, each as often as it stands there.
fn shared<T: PartialEq>(wanted: &[T], mut there: Vec<T>) -> usize {
    let mut is_there = |item: &&T| {
        let place = there.iter().position(|other| other == *item);
        place.map(|place| there.swap_remove(place)).is_some()
    };
    wanted.iter().filter(&mut is_there).count()
}
