//! Translations side by side: the texts of all systems for each line, the lines of most disagreement first.
//!
//! As markup, twenty systems' texts of a whole test set would exceed a page of a few MB. So the page holds
//! the first lines as markup, which needs no script, and all lines as JSON for its small script (`data`).
//! Where the JSON exceeds its budget, the lines of least disagreement are left out, and the page says so.

mod data;
mod texts;
mod words;

use serde::Serialize;

use crate::material::{Material, Set};
use texts::{Line, Texts};
use words::Words;

/// Bytes of JSON of all test sets. The rest of a page of twenty systems takes 1.1 MB, and the page stays
/// below 5 MB.
const DATA_BUDGET: usize = 3_700_000;
/// Bytes of text of the lines that the page holds as markup too.
const MARKUP_BUDGET: usize = 250_000;
/// Most lines as markup: what a reader without scripts scrolls through.
const MARKUP_LINES: usize = 100;

/// Contents of the section.
#[derive(Clone, Debug, Serialize)]
pub struct Translations {
    /// Lines as markup.
    pub lines: Vec<Line>,
    /// All lines for the script, as JSON that can stand inside a script element.
    pub data: String,
    /// Number of lines in the data.
    pub held: usize,
    /// Number of lines of the test set.
    pub total: usize,
    /// Number of lines on which all systems agree.
    pub agreed: usize,
}

/// Translations of a test set by `translators`; `None` if the run holds no texts of these systems.
pub fn translations(material: &Material<'_>, set: &Set<'_>, translators: &[usize]) -> Option<Translations> {
    let (texts, set) = (Texts::of(material, set, translators), set.texts);
    if texts.texts.is_empty() || set.source.is_empty() {
        return None;
    }
    let total = set.source.len();
    let disagreements: Vec<f64> = (0..total).map(|line| Words::of(&texts, line).disagreement()).collect();
    let mut order: Vec<usize> = (0..total).collect();
    order.sort_by(|a, b| disagreements[*b].total_cmp(&disagreements[*a]));
    let (data, held) = data::data(set, &texts, &order, DATA_BUDGET / material.sets.len());
    let mut bytes = 0;
    let lines = order.iter().take(MARKUP_LINES).map(|&line| Words::of(&texts, line).markup(line, set, &texts));
    let lines = lines.take_while(|line| {
        bytes += line.bytes();
        bytes <= MARKUP_BUDGET || bytes == line.bytes()
    });
    let agreed = disagreements.iter().filter(|disagreement| **disagreement == 0.0).count();
    Some(Translations { lines: lines.collect(), data, held, total, agreed })
}
