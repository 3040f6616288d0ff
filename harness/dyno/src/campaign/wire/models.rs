//! Models in a campaign file: paths, or descriptions of models to draw.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dyno_formats::Recipe;
use serde::Deserialize;
use toml::Spanned;

use super::source::{Source, fine_name};
use crate::campaign::generated::Generated;
use crate::exit::Outcome;

/// Model of a system: a path, or the name of a description.
#[derive(Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a model is a path, or { generate = \"a name of [generate]\" }"
)]
pub(super) enum WireModel {
    Path(PathBuf),
    Drawn { generate: String },
}

/// Models that the campaign describes in `[generate]`.
pub(super) fn generated(
    source: &Source<'_>,
    wire: BTreeMap<String, Spanned<toml::Table>>,
) -> Outcome<Vec<Generated>> {
    let folder = source.resolve(Path::new(""));
    let one = |(name, table): (String, Spanned<toml::Table>)| {
        let span = table.span();
        let fault = |fault: String| source.error_at(span.clone(), format!("`generate.{name}`: {fault}"));
        fine_name(name.clone()).map_err(fault)?;
        let recipe = Recipe::of(table.into_inner(), &folder).map_err(|told| fault(told.to_string()))?;
        Generated::new(name.clone(), recipe).map_err(|told| fault(format!("{told:#}")))
    };
    wire.into_iter().map(one).collect()
}

/// Path of a system's model, drawn or not.
///
/// A model that isn't there adds an error to `absent`.
pub(super) fn model_at(
    source: &Source<'_>,
    model: &Spanned<WireModel>,
    generated: &[Generated],
    absent: &mut Option<String>,
) -> Outcome<PathBuf> {
    match model.get_ref() {
        WireModel::Path(path) => Ok(source.existing(model.span(), path, "model").unwrap_or_else(|missing| {
            absent.get_or_insert(missing.error.to_string());
            source.resolve(path)
        })),
        WireModel::Drawn { generate } => {
            let found = generated.iter().find(|model| model.name == *generate);
            let names: Vec<_> = generated.iter().map(|model| model.name.as_str()).collect();
            let missing = || format!("no [generate.{generate}]; the campaign has: {}", names.join(", "));
            Ok(found.ok_or_else(|| source.error_at(model.span(), missing()))?.path.clone())
        }
    }
}
