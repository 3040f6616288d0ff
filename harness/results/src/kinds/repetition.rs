//! Loops: a phrase, a word or a piece of a word that an answer says again and again, and more often than its
//! source.

use std::ops::RangeInclusive;

use itertools::Itertools;

use super::kept::Kept;
use super::line::Line;

/// Times in a row from which on a phrase is a loop. People say a word twice ("sehr, sehr gut"); the models
/// that ship end loops at three.
const LOOP: usize = 3;
/// Longest phrase, in words, and longest piece of a word, in characters. The longest loop that was seen had
/// 16 pieces.
const LONGEST: usize = 16;
/// Shortest piece of a word: "…" and "000" are no loops.
const SHORTEST_PIECE: usize = 2;

/// Words of a phrase that may not come so often even with others between. Two words may: "in der", "dass er".
const PHRASE: usize = 3;
/// Times from which on a single word is a loop wherever it stands, and the letters that make it more than an
/// article.
const OF_A_WORD: usize = 5;
const LETTERS_OF_A_WORD: usize = 4;

/// A way to count: least times that are a loop, and the greatest number of times in a text.
type Way = (usize, fn(&str) -> usize);
const WAYS: [Way; 4] = [(LOOP, of_words), (LOOP, of_pieces), (LOOP, of_phrases), (OF_A_WORD, of_a_word)];

/// A line, kept if its answer has no loop that its source hasn't.
pub fn count(line: &Line<'_>) -> Kept {
    let [source, answer] = [line.source, line.answer].map(|text| text.to_lowercase());
    let is_loop = |(least, of): &Way| {
        let times = of(&answer);
        times >= *least && times > of(&source)
    };
    Kept::line(!WAYS.iter().any(is_loop))
}

fn bare_words(text: &str) -> Vec<&str> {
    let bare = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    bare.filter(|word| !word.is_empty()).collect()
}

/// Greatest number of times that a phrase stands in a row.
fn of_words(text: &str) -> usize {
    let words = bare_words(text);
    lengths(1, words.len()).map(|length| in_a_row(&words, length)).max().unwrap_or(1)
}

/// Greatest number of times that a phrase stands anywhere.
fn of_phrases(text: &str) -> usize {
    bare_words(text).windows(PHRASE).counts().into_values().max().unwrap_or(0)
}

/// Greatest number of times that a word stands anywhere.
fn of_a_word(text: &str) -> usize {
    let words = bare_words(text).into_iter();
    words.filter(|word| word.chars().count() >= LETTERS_OF_A_WORD).counts().into_values().max().unwrap_or(0)
}

/// Greatest number of times that a piece stands in a row within a word.
fn of_pieces(text: &str) -> usize {
    let of_word = |word: &str| {
        let letters: Vec<char> = word.chars().collect();
        lengths(SHORTEST_PIECE, letters.len()).map(|length| in_a_row(&letters, length)).max()
    };
    let words = text.split_whitespace().filter(|word| word.contains(char::is_alphabetic));
    words.filter_map(of_word).max().unwrap_or(1)
}

/// Lengths of which `items` have room for a loop.
fn lengths(shortest: usize, items: usize) -> RangeInclusive<usize> {
    shortest..=LONGEST.min(items / LOOP)
}

/// Greatest number of times that `length` items in a row come again. Items that are all the same are no
/// phrase.
fn in_a_row<T: PartialEq>(items: &[T], length: usize) -> usize {
    let (mut run, mut most) = (0, 0);
    for place in length..items.len() {
        let comes_again = items[place] == items[place - length];
        run = if comes_again { run + 1 } else { 0 };
        let phrase = &items[place - length..place];
        let is_phrase = length == 1 || phrase.iter().any(|item| *item != phrase[0]);
        most = most.max(if is_phrase { run / length } else { 0 });
    }
    most + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::line::Languages;

    #[test]
    fn a_loop_is_what_comes_again_and_again() {
        let is_kept = |source, answer| count(&Line::new(source, answer, [], Languages::Other)).kept == 1;
        assert!(is_kept("very, very good", "sehr, sehr gut"));
        assert!(!is_kept("Machu Picchu", "Machu Picchu Picchu, Picchu"));
        assert!(!is_kept("a b", "in der Stadt, in der Stadt, in der Stadt"));
        assert!(!is_kept("a b", "die er sah, über die er sah und die er sah"));
        assert!(!is_kept("a b", "Picchu Picchu Hu Picchu Picchu Ho Picchu"));
        assert!(is_kept("a b", "in der Stadt, in der Welt, in der Zeit, in der Not, in der Tat"));
        assert!(is_kept("bye bye bye", "tschüss tschüss tschüss"));
        assert!(!is_kept("a link", "https://a.org/help/help/help"));
        assert!(!is_kept("a b", "Banananananas"));
        assert!(is_kept("wait", "warte ... 1000000 ---- hmmmmmm"));
    }
}
