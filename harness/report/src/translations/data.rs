//! All lines as compact data for the page's script.
//!
//! ```text
//! [{letters, names, words}, [[number, source, [reference…], words, [text…]], …]]
//! ```
//! `words` of the head are all words, the most frequent first, with single spaces between. A source, a reference
//! and a line's own words are numbers into them; a text is numbers into its line's words, or the index of an equal
//! text before it. Numbers are written as one to four letters, low ones as one.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Coded, Texts};
use crate::material::Set;

/// Bytes of all test sets' data: leaves room for the rest of the page below 5 MB.
const BUDGET: usize = 3_900_000;

/// Letters of numbers: none that JSON or markup would have to escape. One of the first [`LAST`] ends a number, the
/// others go on.
const LETTERS: &[u8; 84] =
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!#$%()*+,-./:;=?@[]^_{";
/// How many letters end a number. With 52 a line's most frequent words take one letter, 1,664 take two, 53,248 three.
const LAST: usize = 52;

/// A line's words by where they stand.
struct Held<'a> {
    coded: &'a Coded<'a>,
    source: Vec<&'a str>,
    references: Vec<Vec<&'a str>>,
}

/// The data of as many lines of `coded` as the budget, shared by `sets`, allows; and how many those are.
pub fn data(set: &Set, texts: &Texts<'_>, coded: &[Coded<'_>], sets: usize) -> (String, usize) {
    let held = held(set, coded, BUDGET / sets);
    let numbers = numbered(&held);
    let mut words: Vec<&str> = vec![""; numbers.len()];
    numbers.iter().for_each(|(word, number)| words[*number] = word);
    let letters = std::str::from_utf8(LETTERS).unwrap_or_default();
    let head = json!({"letters": letters, "last": LAST, "names": texts.names, "words": words.join(" ")});
    let lines: Vec<Value> = held.iter().map(|line| line.data(&numbers)).collect();
    (embedded(&json!([head, lines])), held.len())
}

/// The lines that fit, by an estimate on the safe side: three letters a word of a line, two a word of a text.
fn held<'a>(set: &'a Set, coded: &'a [Coded<'a>], budget: usize) -> Vec<Held<'a>> {
    let mut seen: HashMap<&str, ()> = HashMap::new();
    let mut bytes = 0;
    let fits = |held: &Held<'a>| {
        let new: usize =
            held.words().filter(|word| seen.insert(word, ()).is_none()).map(|word| word.len() + 1).sum();
        let texts: usize = held
            .coded
            .codes
            .iter()
            .map(|code| code.iter().map(|&n| written(n).len()).sum::<usize>() + 3)
            .sum();
        bytes += new + 3 * held.words().count() + texts + 20;
        bytes <= budget
    };
    coded.iter().map(|coded| Held::of(set, coded)).take_while(fits).collect()
}

/// All words of the lines by number, the most frequent first.
fn numbered<'a>(held: &[Held<'a>]) -> HashMap<&'a str, usize> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    held.iter().flat_map(Held::words).for_each(|word| *counts.entry(word).or_default() += 1);
    let mut words: Vec<(&str, usize)> = counts.into_iter().collect();
    words.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    words.into_iter().enumerate().map(|(number, (word, _))| (word, number)).collect()
}

impl<'a> Held<'a> {
    fn of(set: &'a Set, coded: &'a Coded<'a>) -> Self {
        let references = set.references.iter().filter_map(|lines| lines.get(coded.line));
        Self {
            coded,
            source: set.source[coded.line].split(' ').collect(),
            references: references.map(|line| line.split(' ').collect()).collect(),
        }
    }

    fn words(&self) -> impl Iterator<Item = &'a str> {
        let theirs = self.references.iter().flatten();
        self.source.iter().chain(theirs).chain(&self.coded.words).copied()
    }

    fn data(&self, numbers: &HashMap<&str, usize>) -> Value {
        let all = |words: &[&str]| words.iter().map(|word| written(numbers[word])).collect::<String>();
        let texts = self.coded.codes.iter().enumerate().map(|(i, code)| {
            match self.coded.codes[..i].iter().position(|earlier| earlier == code) {
                Some(equal) => json!(equal),
                None => json!(code.iter().map(|&word| written(word)).collect::<String>()),
            }
        });
        let references: Vec<String> = self.references.iter().map(|words| all(words)).collect();
        json!([
            self.coded.line + 1,
            all(&self.source),
            references,
            all(&self.coded.words),
            texts.collect::<Vec<_>>()
        ])
    }
}

/// A number in letters: the last of base [`LAST`], those before it of the base of the other letters.
fn written(number: usize) -> String {
    let more = LETTERS.len() - LAST;
    let mut letters = vec![LETTERS[number % LAST]];
    let mut rest = number / LAST;
    while rest > 0 {
        letters.push(LETTERS[LAST + rest % more]);
        rest /= more;
    }
    letters.iter().rev().map(|&letter| char::from(letter)).collect()
}

/// JSON that can stand inside a script element: nothing in it looks like markup.
fn embedded(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the page's script reads it.
    fn read(text: &str) -> Vec<usize> {
        let (mut numbers, mut rest) = (Vec::new(), 0);
        for letter in text.bytes() {
            match LETTERS.iter().position(|&other| other == letter).unwrap() {
                last if last < LAST => {
                    numbers.push(rest * LAST + last);
                    rest = 0;
                }
                more => rest = rest * (LETTERS.len() - LAST) + more - LAST,
            }
        }
        numbers
    }

    #[test]
    fn numbers_of_any_size_come_back() {
        let numbers: Vec<usize> = (0..60_000).chain([9_999_999]).collect();
        assert_eq!(read(&numbers.iter().map(|&number| written(number)).collect::<String>()), numbers);
        assert_eq!((written(51).len(), written(52).len(), written(1664).len()), (1, 2, 3));
    }

    #[test]
    fn data_hold_no_markup() {
        assert_eq!(embedded(&json!("</script><!--")), "\"\\u003c/script>\\u003c!--\"");
    }
}
