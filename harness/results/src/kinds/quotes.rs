//! Quotation marks in pairs, of whichever form: "…", “…”, „…“, «…», and single ones around words.

use super::kept::Kept;
use super::line::Line;
use super::text::{Pattern, regex};

/// A pair of single marks. An apostrophe within or behind a word opens none.
static SINGLE: Pattern =
    Pattern::new(|| regex(r"(?:^|[\s(„“])[‘'‚][^\s‘'’‚][^‘'’‚]*[’'‘](?:$|[\s.,;:!?)”“])"));

/// Pairs of quotation marks, and as many as the answer has.
pub fn count(line: &Line<'_>) -> Kept {
    Kept::of(pairs(&line.plain_source), pairs(&line.plain_answer))
}

/// A mark without its partner makes no pair.
fn pairs(text: &str) -> usize {
    text.matches(['"', '“', '”', '„', '«', '»', '‟']).count() / 2 + SINGLE.find_iter(text).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_count_in_pairs_and_apostrophes_not_at_all() {
        for (text, expected) in [
            ("\"Come,\" he said, \"now.\"", 2),
            ("„Komm“, sagte er, »jetzt«.", 2),
            ("It's the boys' room, don't you know?", 0),
            ("the word 'room' and ‘hall’", 2),
            ("an open \"end", 0),
        ] {
            assert_eq!(pairs(text), expected, "{text}");
        }
    }
}
