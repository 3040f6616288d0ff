//! Translations side by side: the texts of all systems for each line, the lines of most disagreement first.
//!
//! As markup, twenty systems' texts of a whole test set would exceed a page of a few MB. So the page holds
//! the first lines as markup, which needs no script, and all lines as JSON for its small script (`data`).
//! Where the JSON exceeds its budget, the lines of least disagreement are left out, and the page says so.

mod data;
mod words;

use serde_json::{Value, json};

use crate::material::Material;
use dyno_results::contest::Set;
use words::{Texts, Words};

/// Bytes of JSON of all test sets. The rest of a page of twenty systems takes 1.1 MB, and the page stays
/// below 5 MB.
const DATA_BUDGET: usize = 3_700_000;
/// Bytes of text of the lines that the page holds as markup too.
const MARKUP_BUDGET: usize = 250_000;
/// Most lines as markup: what a reader without scripts scrolls through.
const MARKUP_LINES: usize = 100;

/// Translations of a test set by `translators`: the first `lines` as markup, the `data` of all lines, and the numbers
/// of lines that the data have (`held`), that the set has, and on which all systems agree. `None` if the run holds no
/// texts of these systems.
pub fn translations(material: &Material<'_>, set: &Set<'_>, translators: &[usize]) -> Option<Value> {
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
    let lines =
        order.iter().take(MARKUP_LINES).map(|&line| Words::of(&texts, line).markup(line, set, &texts));
    let lines = lines.take_while(|(_, of_line)| {
        bytes += of_line;
        bytes <= MARKUP_BUDGET || bytes == *of_line
    });
    let lines: Vec<Value> = lines.map(|(line, _)| line).collect();
    let agreed = disagreements.iter().filter(|disagreement| **disagreement == 0.0).count();
    Some(json!({"lines": lines, "data": data, "held": held, "total": total, "agreed": agreed}))
}
