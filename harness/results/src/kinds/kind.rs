//! The kinds: their names, and the function that counts each.

use super::kept::Kept;
use super::line::Line;
use super::{dates, length, markup, names, negation, numbers, quotes, repetition, untranslated};

dyno_record::words! {
    /// Kind of content, in the order of tables, with the text of what is kept.
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
        Length => "fit length",
        /// Lines without a loop.
        Repetition => "no loops",
        /// Lines without words of the source's language.
        Untranslated => "all translated",
    }
}

impl Kind {
    /// Items of the kind in a line, and those that its answer keeps.
    pub fn count(self, line: &Line<'_>) -> Kept {
        match self {
            Self::Numbers => numbers::count(line),
            Self::Dates => dates::count(line),
            Self::Names => names::count(line),
            Self::Markup => markup::count(line),
            Self::Quotes => quotes::count(line),
            Self::Negation => negation::count(line),
            Self::Length => length::count(line),
            Self::Repetition => repetition::count(line),
            Self::Untranslated => untranslated::count(line),
        }
    }
}
