//! The custom formats of github-action-benchmark: a list of figures for each direction, since the action
//! takes one direction a file.

use serde_json::{Value, json};

use super::figures::Figure;

/// Figures in two lists.
pub struct Files {
    /// For `tool: customSmallerIsBetter`.
    pub smaller: Value,
    /// For `tool: customBiggerIsBetter`.
    pub bigger: Value,
}

/// The two lists.
pub fn files(figures: &[Figure<'_>]) -> Files {
    let list = |less_is_better: bool| {
        figures.iter().filter(|figure| figure.less_is_better == less_is_better).map(entry).collect()
    };
    Files { smaller: list(true), bigger: list(false) }
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
