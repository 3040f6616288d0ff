//! Translations side by side: what the systems say of each line, the lines on which they disagree most first.
//!
//! Twenty systems' texts of a whole test set would not fit into a page of a few MB as markup. So the page holds
//! the first lines as markup, which needs no script, and all lines as data for its small script (`data`). Should
//! even those exceed the budget, the lines of least disagreement are left out, and the page says so.

mod coded;
mod data;

use std::collections::HashMap;

use serde::Serialize;

use super::material::{Material, Set};
use coded::Coded;

/// Bytes of text of the lines that are there as markup too.
const MARKUP_BUDGET: usize = 250_000;
/// And at most so many of them.
const MARKUP_LINES: usize = 100;

/// The section's contents.
#[derive(Clone, Debug, Serialize)]
pub struct Translations {
    /// Lines as markup.
    pub lines: Vec<Line>,
    /// All lines for the script, as JSON that can stand inside a script element.
    pub data: String,
    /// How many lines the data hold.
    pub held: usize,
    /// How many lines there are.
    pub total: usize,
    /// On how many of them all systems say the same.
    pub agreed: usize,
}

/// One line.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// Its number, from 1.
    pub number: usize,
    /// The source.
    pub source: String,
    /// The references.
    pub references: Vec<String>,
    /// Different texts with the systems that gave them.
    pub answers: Vec<Answer>,
}

/// A text.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// Who gave it.
    pub systems: String,
    /// Stretches of it; every second one, beginning with the second, is rare.
    pub parts: Vec<String>,
}

/// What the systems gave: their names by text, and the texts.
struct Texts<'a> {
    names: Vec<Vec<&'a str>>,
    texts: Vec<&'a [String]>,
}

/// The translations of a test set by `translators`; `None` if the run holds no texts of them.
pub fn translations(material: &Material, set: &Set, translators: &[usize]) -> Option<Translations> {
    let texts = Texts::of(material, set, translators);
    if texts.texts.is_empty() || set.source.is_empty() {
        return None;
    }
    let mut coded: Vec<Coded<'_>> = (0..set.source.len()).map(|line| Coded::of(&texts, line)).collect();
    let agreed = coded.iter().filter(|line| line.disagreement == 0.0).count();
    coded.sort_by(|a, b| b.disagreement.total_cmp(&a.disagreement).then(a.line.cmp(&b.line)));
    let (data, held) = data::data(set, &texts, &coded, material.sets.len());
    let mut bytes = 0;
    let lines = coded.iter().take(MARKUP_LINES).map(|coded| coded.markup(set, &texts)).take_while(|line| {
        bytes += line.bytes();
        bytes <= MARKUP_BUDGET || bytes == line.bytes()
    });
    Some(Translations { lines: lines.collect(), data, held, total: coded.len(), agreed })
}

impl<'a> Texts<'a> {
    fn of(material: &'a Material, set: &Set, translators: &[usize]) -> Self {
        let mut texts = Self { names: Vec::new(), texts: Vec::new() };
        let mut place: HashMap<usize, usize> = HashMap::new();
        for &system in translators {
            let Some(output) = set.output(system) else { continue };
            let Some(lines) = material.outputs.get(output).filter(|lines| lines.len() == set.source.len())
            else {
                continue;
            };
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

impl Line {
    fn bytes(&self) -> usize {
        let answers = self.answers.iter().flat_map(|answer| answer.parts.iter().chain([&answer.systems]));
        answers.chain(&self.references).map(String::len).sum::<usize>() + self.source.len()
    }
}
