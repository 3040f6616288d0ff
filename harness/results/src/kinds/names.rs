//! Names that are copied: words with a capital that a reference has as they are. Which names a language
//! translates (Germany, Rome) the reference says, so that a set without references has no such names.

use super::kept::{Kept, shared, take};
use super::line::Line;
use super::text::{is_among, words};

/// Words that English and German both begin sentences with, or write with a capital, and that are no names.
const NO_NAMES: &str = "\
    in so was die war man hat also still her an am warm fast bald gold april august september november \
    moment hand student computer person";

/// Names of the source that a reference copies, and those that the answer has too.
pub fn count(line: &Line<'_>) -> Kept {
    let names: Vec<&str> = words(&line.plain_source).filter(|word| may_be_name(word)).collect();
    let copied = line.references.iter().map(|reference| {
        let mut there: Vec<&str> = words(reference).collect();
        let mut is_copied = |name: &&str| take(&mut there, |word| is_name(word, name)).is_some();
        names.iter().copied().filter(&mut is_copied).collect::<Vec<_>>()
    });
    let wanted = copied.max_by_key(Vec::len).unwrap_or_default();
    let answer: Vec<&str> = words(&line.plain_answer).map(|word| named(word, &wanted)).collect();
    Kept { found: wanted.len(), kept: shared(&wanted, answer) }
}

fn may_be_name(word: &str) -> bool {
    let is_long = word.chars().nth(1).is_some();
    is_long && word.starts_with(char::is_uppercase) && !is_among(NO_NAMES, &word.to_lowercase())
}

/// Shortest name that may begin a compound, as German writes them ("Coasterbusse"), in bytes. "Tomaten" has
/// no "Tom".
const SHORTEST_IN_COMPOUND: usize = 5;

/// Whether a word is the name, also in the genitive ("Toms") or at the beginning of a compound.
fn is_name(word: &str, name: &str) -> bool {
    match word.strip_prefix(name) {
        Some("" | "s") => true,
        Some(_) => name.len() >= SHORTEST_IN_COMPOUND,
        None => false,
    }
}

/// The name that a word of the answer is, else the word.
fn named<'a>(word: &'a str, names: &[&'a str]) -> &'a str {
    let own = names.iter().find(|name| word == **name);
    own.or_else(|| names.iter().find(|name| is_name(word, name))).copied().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::line::Languages;

    #[test]
    fn the_reference_says_which_names_are_copied() {
        let kept = |answer| {
            let source = "Tom's friend Mary left Germany for NATO.";
            let reference = "Toms Freundin Maria verließ Deutschland wegen der NATO.";
            count(&Line::new(source, answer, [reference], Languages::Other))
        };
        assert_eq!(kept("Tom und die NATO"), Kept { found: 2, kept: 2 });
        assert_eq!(kept("Toms Toms"), Kept { found: 2, kept: 1 });
        assert_eq!(kept("Thomas und die Nato"), Kept { found: 2, kept: 0 });
        assert_eq!(kept("Tomaten und NATO-Truppen"), Kept { found: 2, kept: 1 });
        let championship =
            Line::new("a Championship", "ein Championshipspiel", ["die Championship"], Languages::Other);
        assert_eq!(count(&championship), Kept { found: 1, kept: 1 });
        assert_eq!(count(&Line::new("Tom left.", "Er ging.", [], Languages::Other)), Kept::default());
    }
}
