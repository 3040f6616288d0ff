//! The different texts of the systems, and the words of a line's texts: how far the texts disagree, and which words are
//! rare in them.

use std::collections::HashMap;

use dyno_measure::TestSet;
use dyno_stats::grouped;
use itertools::Itertools;
use serde_json::{Value, json};

use crate::material::Material;
use dyno_results::contest::Set;

/// Outputs of the systems, equal outputs once.
pub struct Texts<'a> {
    /// Names of the systems that gave each output.
    pub names: Vec<Vec<&'a str>>,
    /// Outputs, a list of lines each.
    pub texts: Vec<&'a [String]>,
}

impl<'a> Texts<'a> {
    /// Outputs of `translators` on a test set.
    pub fn of(material: &'a Material<'_>, set: &Set<'a>, translators: &[usize]) -> Self {
        let whole = translators.iter().filter_map(|&system| {
            let (output, lines) = (set.output(system)?, set.answers(system)?);
            let name = material.systems[system].name.as_str();
            (lines.len() == set.texts.source.len()).then_some((output, lines, name))
        });
        let outputs = grouped(whole, |a, b| a.0 == b.0);
        Self {
            names: outputs.iter().map(|output| output.iter().map(|(.., name)| *name).collect()).collect(),
            texts: outputs.iter().map(|output| output[0].1.as_slice()).collect(),
        }
    }
}

/// Words of all texts of a line.
pub struct Words<'a> {
    texts: Vec<Vec<&'a str>>,
    /// Number of texts with at least n copies of a word, by word and n from 1.
    copies: HashMap<(&'a str, usize), usize>,
}

impl<'a> Words<'a> {
    pub fn of(texts: &Texts<'a>, line: usize) -> Self {
        let words = texts.texts.iter().map(|lines| lines[line].split(' ').collect());
        let (texts, mut copies): (Vec<Vec<&str>>, _) = (words.collect(), HashMap::new());
        for (word, number) in texts.iter().flat_map(|words| words.iter().copied().counts()) {
            (1..=number).for_each(|n| *copies.entry((word, n)).or_default() += 1);
        }
        Self { texts, copies }
    }

    /// 1 minus Dice's coefficient over all pairs of texts: twice the common words over the words of both.
    pub fn disagreement(&self) -> f64 {
        let (texts, words) = (self.texts.len(), self.texts.iter().map(Vec::len).sum::<usize>());
        if texts < 2 || words == 0 {
            return 0.0;
        }
        let common: usize = self.copies.values().map(|&count| count * (count - 1)).sum();
        1.0 - common as f64 / (words * (texts - 1)) as f64
    }

    /// Whether at most half of the texts have the word. With one text no word is rare.
    fn is_rare(&self, word: &'a str) -> bool {
        self.texts.len() > 1 && self.copies[&(word, 1)] * 2 <= self.texts.len()
    }

    /// The line of that index as the page's markup shows it, equal texts together, and the bytes of all its texts.
    pub fn markup(&self, index: usize, set: &TestSet, texts: &Texts<'_>) -> (Value, usize) {
        let source = String::from_utf8_lossy(&set.source[index]);
        let references: Vec<&String> = set.references.iter().filter_map(|lines| lines.get(index)).collect();
        let mut bytes = source.len() + references.iter().map(|text| text.len()).sum::<usize>();
        let mut answers = Vec::new();
        for group in grouped(self.texts.iter().zip(&texts.names), |a, b| a.0 == b.0) {
            let systems = group.iter().flat_map(|(_, names)| *names).join(", ");
            let parts = self.parts(group[0].0);
            bytes += systems.len() + parts.iter().map(String::len).sum::<usize>();
            answers.push(json!({"systems": systems, "parts": parts}));
        }
        let number = index + 1;
        (json!({"number": number, "source": source, "references": references, "answers": answers}), bytes)
    }

    /// Stretches of a text, common and rare words in turn; the first stretch is common and may be empty.
    fn parts(&self, words: &[&'a str]) -> Vec<String> {
        let mut parts = vec![String::new()];
        for (i, &word) in words.iter().enumerate() {
            // Odd parts are the rare ones.
            if self.is_rare(word) != (parts.len() % 2 == 0) {
                parts.push(String::new());
            }
            let last = parts.last_mut().expect("the list begins with one part");
            if i > 0 {
                last.push(' ');
            }
            last.push_str(word);
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<'a>(names: &[&'a str], texts: &[&'a [String]]) -> Texts<'a> {
        Texts { names: names.iter().map(|name| vec![*name]).collect(), texts: texts.to_vec() }
    }

    fn lines(text: &str) -> Vec<String> {
        text.split('\n').map(Into::into).collect()
    }

    #[test]
    fn disagreement_is_none_of_equals_and_whole_of_strangers() {
        let (a, b, c) =
            (lines("ein Hund\nx y\nja ja"), lines("ein Hund\nz w\nja"), lines("ein Hund\nu v\nja"));
        let texts = of(&["a", "b", "c"], &[&a, &b, &c]);
        assert_eq!(Words::of(&texts, 0).disagreement(), 0.0);
        assert_eq!(Words::of(&texts, 1).disagreement(), 1.0);
        // "ja" three times in common, the second "ja" alone: pairs 2·1/3, 2·1/3, 2·1/2 of words 4·2.
        let third = Words::of(&texts, 2).disagreement();
        assert!((third - (1.0 - 6.0 / 8.0)).abs() < 1e-12, "{third}");
    }

    #[test]
    fn rare_words_are_set_apart_and_the_text_stays_whole() {
        let (a, b, c) = (lines("ein  roter Hund bellt"), lines("ein  Hund bellt"), lines("der  Hund bellt"));
        let texts = of(&["a", "b", "c"], &[&a, &b, &c]);
        let line = Words::of(&texts, 0);
        assert_eq!(line.parts(&line.texts[0]), ["ein ", " roter", " Hund bellt"]);
        for (words, text) in line.texts.iter().zip([&a, &b, &c]) {
            assert_eq!(line.parts(words).concat(), text[0]);
        }
    }
}
