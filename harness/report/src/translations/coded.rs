//! A line's texts as numbers of its words: what they share, how far they disagree, and what is rare in them.

use std::collections::HashMap;

use super::{Answer, Line, Texts};
use crate::material::Set;

/// A line with its words numbered.
pub struct Coded<'a> {
    /// Its index.
    pub line: usize,
    /// Different words, those of most texts first.
    pub words: Vec<&'a str>,
    /// In how many texts each occurs.
    spread: Vec<usize>,
    /// Each text's words.
    pub codes: Vec<Vec<usize>>,
    /// 1 minus the mean share of words that two texts have in common (Dice's coefficient over words).
    pub disagreement: f64,
}

impl<'a> Coded<'a> {
    /// Numbers the words of all texts of a line.
    pub fn of(texts: &Texts<'a>, line: usize) -> Self {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut coded =
            Self { line, words: Vec::new(), spread: Vec::new(), codes: Vec::new(), disagreement: 0.0 };
        // How many texts have at least n copies of a word, for n from 1.
        let mut copies: Vec<Vec<usize>> = Vec::new();
        for text in &texts.texts {
            let mut seen: HashMap<usize, usize> = HashMap::new();
            let words = text[line].split(' ').map(|word| {
                let number = *numbers.entry(word).or_insert_with(|| {
                    coded.words.push(word);
                    copies.push(Vec::new());
                    coded.words.len() - 1
                });
                let n = seen.entry(number).or_default();
                *n += 1;
                match copies[number].get_mut(*n - 1) {
                    Some(count) => *count += 1,
                    None => copies[number].push(1),
                }
                number
            });
            coded.codes.push(words.collect());
        }
        coded.spread = copies.iter().map(|counts| counts[0]).collect();
        coded.disagreement = disagreement(&coded.codes, &copies);
        coded.renumber();
        coded
    }

    /// Gives the lowest numbers to the words of most texts: those take the fewest letters in the data.
    fn renumber(&mut self) {
        let mut order: Vec<usize> = (0..self.words.len()).collect();
        order.sort_by_key(|&word| std::cmp::Reverse(self.spread[word]));
        let mut new = vec![0; order.len()];
        order.iter().enumerate().for_each(|(number, &word)| new[word] = number);
        self.words = order.iter().map(|&word| self.words[word]).collect();
        self.spread = order.iter().map(|&word| self.spread[word]).collect();
        self.codes.iter_mut().flatten().for_each(|word| *word = new[*word]);
    }

    /// Whether at most half of the texts have the word (and not all, where there is one text).
    fn is_rare(&self, word: usize) -> bool {
        self.codes.len() > 1 && self.spread[word] * 2 <= self.codes.len()
    }

    /// The line for the page, equal texts together.
    pub fn markup(&self, set: &Set, texts: &Texts<'_>) -> Line {
        let mut answers: Vec<(&[usize], Vec<&str>)> = Vec::new();
        for (code, names) in self.codes.iter().zip(&texts.names) {
            match answers.iter_mut().find(|(other, _)| other == code) {
                Some((_, already)) => already.extend(names),
                None => answers.push((code, names.clone())),
            }
        }
        let answer = |(code, names): (&[usize], Vec<&str>)| Answer {
            systems: names.join(", "),
            parts: self.parts(code),
        };
        Line {
            number: self.line + 1,
            source: set.source[self.line].clone(),
            references: set.references.iter().filter_map(|lines| lines.get(self.line).cloned()).collect(),
            answers: answers.into_iter().map(answer).collect(),
        }
    }

    fn parts(&self, code: &[usize]) -> Vec<String> {
        let mut parts = vec![String::new()];
        for (i, &word) in code.iter().enumerate() {
            // Odd parts are the rare ones.
            if self.is_rare(word) != (parts.len() % 2 == 0) {
                parts.push(String::new());
            }
            let last = parts.last_mut().expect("it begins with one");
            if i > 0 {
                last.push(' ');
            }
            last.push_str(self.words[word]);
        }
        parts
    }
}

/// Over all pairs of texts: words in common, twice, of the words of both.
fn disagreement(codes: &[Vec<usize>], copies: &[Vec<usize>]) -> f64 {
    let words: usize = codes.iter().map(Vec::len).sum();
    if codes.len() < 2 || words == 0 {
        return 0.0;
    }
    let common: usize = copies.iter().flatten().map(|&count| count * (count - 1)).sum();
    1.0 - common as f64 / (words * (codes.len() - 1)) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coded<'a>(names: &[&'a str], texts: &[&'a [String]]) -> (Texts<'a>, usize) {
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
        let (texts, _) = coded(&["a", "b", "c"], &[&a, &b, &c]);
        assert_eq!(Coded::of(&texts, 0).disagreement, 0.0);
        assert_eq!(Coded::of(&texts, 1).disagreement, 1.0);
        // "ja" three times in common, the second "ja" alone: pairs 2·1/3, 2·1/3, 2·1/2 of words 4·2.
        let third = Coded::of(&texts, 2).disagreement;
        assert!((third - (1.0 - 6.0 / 8.0)).abs() < 1e-12, "{third}");
    }

    #[test]
    fn rare_words_are_set_apart_and_the_text_stays_whole() {
        let (a, b, c) = (lines("ein  roter Hund bellt"), lines("ein  Hund bellt"), lines("der  Hund bellt"));
        let (texts, _) = coded(&["a", "b", "c"], &[&a, &b, &c]);
        let line = Coded::of(&texts, 0);
        assert_eq!(line.parts(&line.codes[0]), ["ein ", " roter", " Hund bellt"]);
        for (code, text) in line.codes.iter().zip([&a, &b, &c]) {
            assert_eq!(line.parts(code).concat(), text[0]);
        }
    }
}
