//! From a path to what a translator is made of.

use std::path::{Path, PathBuf};

use dyno_formats::{MarianConfig, ModelDir, Precision, Result, Weights};
use dyno_nn::math::Kernels;

use crate::settings::Wishes;

/// The table that holds the configuration of a Marian model.
pub(crate) const MARIAN: &str = "marian";

/// A model, read.
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) model: ModelDir,
    pub(crate) config: MarianConfig,
    pub(crate) weights: Weights,
    /// What its products are computed with.
    pub(crate) kernels: Kernels,
}

/// Opens the model at `path`, which `table` configures; weights alone take their vocabularies from the settings.
pub(crate) fn open(path: &Path, table: &str, wishes: &Wishes) -> Result<Opened> {
    let model = match &wishes.vocabularies {
        Some([source, target]) if is_weights(path) => ModelDir::open_weights(path, [source, target], None)?,
        _ => ModelDir::open(path)?,
    };
    let widest = || model.weights().keys().next_back().copied().unwrap_or(Precision::F32);
    let precision = wishes.precision.unwrap_or_else(widest);
    let weights = model.load(precision)?;
    let config = table_of(path, &model, table);
    Ok(Opened { path: path.into(), model, config, weights, kernels: wishes.kernels })
}

/// Only the network's configuration, wherever it stands.
pub(crate) fn configuration(path: &Path, table: &str) -> Result<MarianConfig> {
    if !is_weights(path) {
        return Ok(table_of(path, &ModelDir::open(path)?, table));
    }
    let weights = Weights::open(path)?;
    let text = weights.model_yml()?.filter(|_| table == MARIAN).unwrap_or_default();
    MarianConfig::from_yaml(path, text)
}

/// The model's table of that name; empty where it has none.
fn table_of(path: &Path, model: &ModelDir, table: &str) -> MarianConfig {
    let none = || MarianConfig::from_entries(path, Vec::new());
    model.table(table).cloned().unwrap_or_else(none)
}

/// Whether a path names weights rather than a model with all that belongs to it.
fn is_weights(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|extension| extension == "npz" || extension == "bin")
}
