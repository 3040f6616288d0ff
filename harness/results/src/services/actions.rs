//! The custom formats of github-action-benchmark: a list of figures for each direction, since the action
//! takes one direction a file.

use serde_json::{Value, json};

use super::figures::Figure;

/// The files, by name: for `tool: customSmallerIsBetter` and `tool: customBiggerIsBetter`.
pub fn action_files(figures: &[Figure<'_>]) -> [(&'static str, Value); 2] {
    let list = |less_is_better: bool| {
        figures.iter().filter(|figure| figure.less_is_better == less_is_better).map(entry).collect()
    };
    [("smaller-is-better.json", list(true)), ("bigger-is-better.json", list(false))]
}

fn entry(figure: &Figure<'_>) -> Value {
    let name = format!("{} {}", figure.place(), figure.quantity);
    let mut entry = json!({"name": name, "unit": figure.unit, "value": figure.value});
    if let Some((low, high)) = figure.interval {
        entry["range"] = json!(format!("{low} to {high}"));
    }
    entry["extra"] = json!(format!("{}, {} rounds", figure.cell.verdict.name(), figure.cell.rounds));
    entry
}
