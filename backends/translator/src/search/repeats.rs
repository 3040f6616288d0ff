//! The end of loops: a translation says the same phrase so many times in a row, and no more.
//!
//! Small networks fall into loops: "Machu Picchu Picchu Picchu …", until the greatest length is reached. The word that
//! would begin a further copy of the phrase is barred for one step, and the translation goes on by the next
//! best word. A source that repeats itself more often may be repeated as often.

use super::paths::Paths;

/// Longest phrase, in words. Of the loops that `small`, `small-aan` and `small-gru` fell into on 23,885 lines, the
/// longest that came four times had 16.
const LONGEST_PHRASE: usize = 16;

/// The word that would begin one more copy of the phrase of which the path ends with `most` copies, two or more.
pub(super) fn barred(paths: &Paths, node: usize, most: usize) -> Option<u32> {
    let last = paths.word(node)?;
    // Copies end alike: one walk finds the few lengths that a phrase may have.
    let ends = (1..=LONGEST_PHRASE).zip(paths.back(node).skip(1));
    ends.filter(|(_, word)| *word == last).find_map(|(len, _)| {
        let copies = paths.back(node).zip(paths.back(node).skip(len)).take((most - 1) * len);
        let equal = copies.take_while(|(word, before)| word == before).count();
        (equal == (most - 1) * len).then(|| paths.back(node).nth(len - 1)).flatten()
    })
}

/// Greatest number of times that a phrase stands in a row in `words`.
pub(super) fn in_a_row(words: &[u32]) -> usize {
    let longest = |len: usize| {
        let (mut run, mut longest) = (0, 0);
        for (word, before) in words.iter().skip(len).zip(words) {
            run = if word == before { run + 1 } else { 0 };
            longest = longest.max(run / len);
        }
        longest + 1
    };
    (1..=LONGEST_PHRASE.min(words.len() / 2)).map(longest).max().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::super::paths::NONE;
    use super::*;

    fn barred_after(words: &[u32], most: usize) -> Option<u32> {
        let mut paths = Paths::default();
        let last = words.iter().fold(NONE, |node, word| paths.push(node, *word, 0));
        barred(&paths, last, most)
    }

    #[test]
    fn the_first_word_of_one_more_copy_is_barred() {
        assert_eq!(barred_after(&[7, 5, 5], 2), Some(5));
        assert_eq!(barred_after(&[7, 5, 5], 3), None);
        assert_eq!(barred_after(&[1, 2, 3, 1, 2, 3], 2), Some(1));
        assert_eq!(barred_after(&[1, 2, 3, 1, 2], 2), None);
        assert_eq!(barred_after(&[], 2), None);
        assert_eq!(barred_after(&[4], 2), None);
    }

    #[test]
    fn phrases_up_to_the_longest_count() {
        let twice = |len: u32| -> Vec<u32> { (0..len).chain(0..len).collect() };
        assert_eq!(barred_after(&twice(16), 2), Some(0));
        assert_eq!(barred_after(&twice(17), 2), None);
    }

    #[test]
    fn copies_in_a_row_are_counted() {
        assert_eq!(in_a_row(&[]), 1);
        assert_eq!(in_a_row(&[1, 2, 3]), 1);
        assert_eq!(in_a_row(&[9, 4, 4, 4, 8]), 3);
        assert_eq!(in_a_row(&[1, 2, 1, 2, 1, 2, 1]), 3);
        assert_eq!(in_a_row(&[1, 2, 9, 1, 2]), 1);
    }
}
