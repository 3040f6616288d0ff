//! What is told about the precision that engines take where no setting names one.

use std::path::PathBuf;

use dyno_formats::ModelDir;
use dyno_stats::grouped;
use itertools::Itertools;

use crate::campaign::{Campaign, Entry};

/// The default of `models` in words, such as `int8 (the model's default)`; `None` where it can't be told.
pub fn default_of(models: &[PathBuf]) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    for model in models {
        for (precision, named) in ModelDir::default_precisions(model).ok()? {
            let why = if named { "the model's default" } else { "the widest weights of the model" };
            told.push(format!("{precision} ({why})"));
        }
    }
    told.dedup();
    (!told.is_empty()).then(|| told.join(", "))
}

/// One line about the built-in systems of `campaign` without a precision, if there are any.
pub fn defaults_of(campaign: &Campaign) -> Option<String> {
    let chooses = |entry: &&Entry| entry.backend().is_some() && entry.setting("precision").is_none();
    let entries = campaign.systems.iter().filter(chooses).filter(|entry| entry.twin_of.is_none());
    let defaults = entries.filter_map(|entry| Some((default_of(&entry.models)?, &entry.name)));
    let told = grouped(defaults, |a, b| a.0 == b.0);
    let mut told = told.iter().map(|group| {
        let names = group.iter().map(|(_, name)| name).join(", ");
        format!("{} for {names}", group[0].0)
    });
    let told = told.join("; ");
    (!told.is_empty()).then(|| format!("precision: {told}; the setting `precision` chooses another one"))
}
