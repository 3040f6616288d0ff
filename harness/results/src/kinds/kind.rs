//! The kinds: their names, and the function that counts each.

use serde::Serialize;

use super::kept::Kept;
use super::line::Line;
use super::{dates, length, markup, names, negation, numbers, quotes, repetition, untranslated};

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
