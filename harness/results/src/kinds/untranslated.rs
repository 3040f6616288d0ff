//! Words of the source that stand untranslated in the answer. Words that the source writes small count, and
//! the commonest words of English. Other words with a capital don't: they may be names, and German borrows
//! nouns ("Laptop").

use super::kept::Kept;
use super::line::Line;
use super::text::{is_among, words};

/// Words that German writes as English does, in small letters.
const BOTH: &str = "\
    in an am so was war die hat her man bin will also fast bald all warm wild blind still mild toll hell rot \
    arm dick lang rang sang sank hang fang stand fand band elegant intelligent modern international national \
    regional global total normal formal informal digital real ideal legal illegal liberal sozial sentimental \
    optimal minimal maximal final plus minus super cool fit fair clever okay ok online offline live per pro \
    via circa smart sexy beige orange den des bei wo um mag hold bitter extrem genial zentral brutal fatal \
    neutral oral rational emotional traditional mental horizontal relevant permanent transparent konstant \
    extravagant";
/// Words that begin English sentences, and that no German sentence has.
const COMMON: &str = "\
    I He She It We You They The This That These Those There Here Have Has Had Do Does Did Is Are Were Can \
    Could Would Should May My Your His Its Our Their And But Or Of For From With About Along After Before \
    Just Where What When Who Why How Which While If As At By On To";
/// Shortest word that counts.
const SHORTEST: usize = 2;

/// A line, kept if no word of its source stands untranslated in its answer. A word that a reference has too
/// is no such word.
pub fn count(line: &Line<'_>) -> Kept {
    Kept::line(untranslated(line).is_empty())
}

fn untranslated<'a>(line: &'a Line<'_>) -> Vec<&'a str> {
    let source: Vec<&str> = words(&line.plain_source).collect();
    let in_reference = |word: &str| line.references.iter().any(|text| words(text).any(|other| other == word));
    let is_english = line.is_english_german();
    let is_left = |word: &&str| {
        let may_count = || is_small(word) || (is_english && is_among(COMMON, word));
        source.contains(word) && may_count() && !(is_english && is_among(BOTH, word)) && !in_reference(word)
    };
    words(&line.plain_answer).filter(is_left).collect()
}

fn is_small(word: &str) -> bool {
    word.len() >= SHORTEST && word.chars().all(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::line::Languages;

    #[test]
    fn a_small_word_is_untranslated_unless_german_or_a_reference_has_it() {
        let source = "She said: Tom was in the warm laptop bag, ad hoc.";
        let found = |answer| {
            let line = Line::new(source, answer, ["Tom war ad hoc dort."], Languages::EnglishGerman);
            untranslated(&line).into_iter().map(String::from).collect::<Vec<_>>()
        };
        assert!(found("Tom war in der warm Laptop-Tasche, ad hoc.").is_empty());
        assert_eq!(found("She sagte: Tom war in the bag."), ["She", "the", "bag"]);
    }
}
