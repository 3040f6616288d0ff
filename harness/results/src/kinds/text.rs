//! Words, lists of words and patterns: what the kinds share in reading text.

use std::sync::LazyLock;

use regex::Regex;

/// A pattern of the kinds, compiled once.
pub type Pattern = LazyLock<Regex>;

/// Words of a text: runs of letters and digits.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether a word stands in a list of words with blanks between.
pub fn is_among(list: &str, word: &str) -> bool {
    list.split(' ').any(|other| other == word)
}

/// A compiled pattern. All are constants, which a test compiles.
pub fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern is well-formed")
}
