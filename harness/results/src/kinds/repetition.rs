//! Loops: a phrase, or a piece of a word, that an answer says again and again and its source doesn't.

use super::Kept;
use super::line::Line;

/// Times in a row from which on a phrase is a loop. People say a word twice ("sehr, sehr gut"); the models that ship end
/// loops at three.
const LOOP: usize = 3;
/// Longest phrase, in words, and longest piece of a word, in characters. The longest loop that was seen had 16 pieces.
const LONGEST: usize = 16;
/// Shortest piece of a word: "…" and "000" are no loops.
const SHORTEST_PIECE: usize = 2;

/// A line, kept if its answer has no loop that its source hasn't.
pub fn count(line: &Line<'_>) -> Kept {
    let [source, answer] = [line.source, line.answer].map(|text| text.to_lowercase());
    let loops = |of: fn(&str) -> usize| of(&answer) >= LOOP && of(&answer) > of(&source);
    Kept::line(!loops(of_words) && !loops(of_pieces))
}

/// Greatest number of times that a phrase stands in a row.
fn of_words(text: &str) -> usize {
    let bare = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let words: Vec<&str> = bare.filter(|word| !word.is_empty()).collect();
    (1..=LONGEST).map(|length| in_a_row(&words, length)).max().unwrap_or(1)
}

/// Greatest number of times that a piece stands in a row within a word.
fn of_pieces(text: &str) -> usize {
    let of_word = |word: &str| {
        let letters: Vec<char> = word.chars().collect();
        let is_piece = |length: &usize| 2 * length <= letters.len();
        (SHORTEST_PIECE..=LONGEST).take_while(is_piece).map(|length| in_a_row(&letters, length)).max()
    };
    let words = text.split_whitespace().filter(|word| word.contains(char::is_alphabetic));
    words.filter_map(of_word).max().unwrap_or(1)
}

/// Greatest number of times that `length` items in a row come again. Items that are all the same are no phrase.
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
    use crate::kinds::Languages;

    #[test]
    fn a_loop_is_a_phrase_three_times_in_a_row() {
        let is_kept = |source, answer| count(&Line::new(source, answer, [], Languages::Other)).kept == 1;
        assert!(is_kept("very, very good", "sehr, sehr gut"));
        assert!(!is_kept("Machu Picchu", "Machu Picchu Picchu, Picchu"));
        assert!(!is_kept("a b", "in der Stadt, in der Stadt, in der Stadt"));
        assert!(is_kept("bye bye bye", "tschüss tschüss tschüss"));
        assert!(!is_kept("a link", "https://a.org/help/help/help"));
        assert!(!is_kept("a b", "Banananananas"));
        assert!(is_kept("wait", "warte ... 1000000 ---- hmmmmmm"));
    }
}
