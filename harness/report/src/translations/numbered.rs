//! The texts of a line as numbers of their words: what the texts share, how far they disagree, and which
//! words are rare in them.

use std::collections::HashMap;

use dyno_measure::TestSet;
use dyno_stats::grouped;
use itertools::Itertools;

use super::texts::{Answer, Line, Texts};

/// A line with the words of its texts numbered.
pub struct NumberedLine<'a> {
    /// Index of the line.
    pub index: usize,
    /// 1 minus the mean share of words that two texts have in common (Dice's coefficient over words).
    pub disagreement: f64,
    /// Different words, by number.
    words: Vec<&'a str>,
    /// Number of texts that have each word.
    spread: Vec<usize>,
    /// Word numbers of each text.
    sequences: Vec<Vec<usize>>,
}

impl<'a> NumberedLine<'a> {
    /// Numbers the words of all texts of a line.
    pub fn of(texts: &Texts<'a>, index: usize) -> Self {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut numbered =
            Self { index, words: Vec::new(), spread: Vec::new(), sequences: Vec::new(), disagreement: 0.0 };
        // Number of texts with at least n copies of a word, for n from 1.
        let mut copies: Vec<Vec<usize>> = Vec::new();
        for text in &texts.texts {
            let mut seen: HashMap<usize, usize> = HashMap::new();
            let words = text[index].split(' ').map(|word| {
                let number = *numbers.entry(word).or_insert_with(|| {
                    numbered.words.push(word);
                    copies.push(Vec::new());
                    numbered.words.len() - 1
                });
                let n = seen.entry(number).or_default();
                *n += 1;
                match copies[number].get_mut(*n - 1) {
                    Some(count) => *count += 1,
                    None => copies[number].push(1),
                }
                number
            });
            numbered.sequences.push(words.collect());
        }
        numbered.spread = copies.iter().map(|counts| counts[0]).collect();
        numbered.disagreement = disagreement(&numbered.sequences, &copies);
        numbered
    }

    /// Whether at most half of the texts have the word. With one text no word is rare.
    fn is_rare(&self, word: usize) -> bool {
        self.sequences.len() > 1 && self.spread[word] * 2 <= self.sequences.len()
    }

    /// The line as markup for the page, equal texts together.
    pub fn markup(&self, set: &TestSet, texts: &Texts<'_>) -> Line {
        let answers = grouped(self.sequences.iter().zip(&texts.names), |a, b| a.0 == b.0);
        let answer = |group: Vec<(&Vec<usize>, &Vec<&str>)>| Answer {
            systems: group.iter().flat_map(|(_, names)| *names).join(", "),
            parts: self.parts(group[0].0),
        };
        Line {
            number: self.index + 1,
            source: String::from_utf8_lossy(&set.source[self.index]).into_owned(),
            references: set.references.iter().filter_map(|lines| lines.get(self.index).cloned()).collect(),
            answers: answers.into_iter().map(answer).collect(),
        }
    }

    /// Stretches of a text, common and rare words in turn; the first stretch is common and may be empty.
    fn parts(&self, sequence: &[usize]) -> Vec<String> {
        let mut parts = vec![String::new()];
        for (i, &word) in sequence.iter().enumerate() {
            // Odd parts are the rare ones.
            if self.is_rare(word) != (parts.len() % 2 == 0) {
                parts.push(String::new());
            }
            let last = parts.last_mut().expect("the list begins with one part");
            if i > 0 {
                last.push(' ');
            }
            last.push_str(self.words[word]);
        }
        parts
    }
}

/// Dice's coefficient over all pairs of texts: twice the common words over the words of both, from 1.
fn disagreement(sequences: &[Vec<usize>], copies: &[Vec<usize>]) -> f64 {
    let words: usize = sequences.iter().map(Vec::len).sum();
    if sequences.len() < 2 || words == 0 {
        return 0.0;
    }
    let common: usize = copies.iter().flatten().map(|&count| count * (count - 1)).sum();
    1.0 - common as f64 / (words * (sequences.len() - 1)) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered<'a>(names: &[&'a str], texts: &[&'a [String]]) -> (Texts<'a>, usize) {
        (
            Texts { names: names.iter().map(|name| vec![*name]).collect(), texts: texts.to_vec() },
            texts[0].len(),
        )
    }

    fn lines(text: &str) -> Vec<String> {
        text.split('\n').map(Into::into).collect()
    }

    #[test]
    fn disagreement_is_none_of_equals_and_whole_of_strangers() {
        let (a, b, c) =
            (lines("ein Hund\nx y\nja ja"), lines("ein Hund\nz w\nja"), lines("ein Hund\nu v\nja"));
        let (texts, _) = numbered(&["a", "b", "c"], &[&a, &b, &c]);
        assert_eq!(NumberedLine::of(&texts, 0).disagreement, 0.0);
        assert_eq!(NumberedLine::of(&texts, 1).disagreement, 1.0);
        // "ja" three times in common, the second "ja" alone: pairs 2·1/3, 2·1/3, 2·1/2 of words 4·2.
        let third = NumberedLine::of(&texts, 2).disagreement;
        assert!((third - (1.0 - 6.0 / 8.0)).abs() < 1e-12, "{third}");
    }

    #[test]
    fn rare_words_are_set_apart_and_the_text_stays_whole() {
        let (a, b, c) = (lines("ein  roter Hund bellt"), lines("ein  Hund bellt"), lines("der  Hund bellt"));
        let (texts, _) = numbered(&["a", "b", "c"], &[&a, &b, &c]);
        let line = NumberedLine::of(&texts, 0);
        assert_eq!(line.parts(&line.sequences[0]), ["ein ", " roter", " Hund bellt"]);
        for (sequence, text) in line.sequences.iter().zip([&a, &b, &c]) {
            assert_eq!(line.parts(sequence).concat(), text[0]);
        }
    }
}
