//! The texts that are compared: the different texts of the systems, and a line of them as the page shows it.

use std::collections::HashMap;

use serde::Serialize;

use crate::material::{Material, Set};

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
        let mut texts = Self { names: Vec::new(), texts: Vec::new() };
        let mut place: HashMap<&String, usize> = HashMap::new();
        for &system in translators {
            let Some((output, lines)) = set.output(system).zip(set.answers(system)) else { continue };
            if lines.len() != set.texts.source.len() {
                continue;
            }
            let at = *place.entry(output).or_insert_with(|| {
                texts.names.push(Vec::new());
                texts.texts.push(lines);
                texts.texts.len() - 1
            });
            texts.names[at].push(&material.systems[system].name);
        }
        texts
    }
}

/// A line as markup shows it.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// Number of the line, from 1.
    pub number: usize,
    pub source: String,
    pub references: Vec<String>,
    /// Different texts with the systems that gave them.
    pub answers: Vec<Answer>,
}

/// A text with the systems that gave it.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// Names of the systems, with commas between.
    pub systems: String,
    /// Stretches of the text, common and rare in turn; the first is common.
    pub parts: Vec<String>,
}

impl Line {
    /// Bytes of text, without markup.
    pub fn bytes(&self) -> usize {
        let answers = self.answers.iter().flat_map(|answer| answer.parts.iter().chain([&answer.systems]));
        answers.chain(&self.references).map(String::len).sum::<usize>() + self.source.len()
    }
}
