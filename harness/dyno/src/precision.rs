//! What is told about the precision that engines take where no setting names one.

use std::path::PathBuf;

use dyno_formats::ModelDir;

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
    let mut told: Vec<(String, Vec<&str>)> = Vec::new();
    for entry in campaign.systems.iter().filter(chooses).filter(|entry| entry.twin_of.is_none()) {
        let Some(default) = default_of(&entry.models) else { continue };
        match told.iter_mut().find(|(known, _)| *known == default) {
            Some((_, names)) => names.push(&entry.name),
            None => told.push((default, vec![&entry.name])),
        }
    }
    let told: Vec<String> =
        told.into_iter().map(|(default, names)| format!("{default} for {}", names.join(", "))).collect();
    (!told.is_empty())
        .then(|| format!("precision: {}; the setting `precision` chooses another one", told.join("; ")))
}
