//! From a path to what a translator is made of.

use std::path::{Path, PathBuf};

use dyno_formats::{MarianConfig, ModelDir, Precision, Result, Weights};
use dyno_nn::ShortlistColumns;
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
    /// The same in f32, where the settings need them.
    pub(crate) floats: Option<Weights>,
    /// What its products are computed with.
    pub(crate) kernels: Kernels,
}

/// Opens the model at `path` (or the models, where a decoder's YAML names several), which `table` configures; weights
/// alone take their vocabularies from the settings.
pub(crate) fn open(path: &Path, table: &str, wishes: &Wishes) -> Result<Vec<Opened>> {
    let models = match &wishes.vocabularies {
        Some([source, target]) if is_weights(path) => {
            vec![ModelDir::open_weights(path, [source, target], None)?]
        }
        _ => ModelDir::open_all(path)?,
    };
    let open = |model: ModelDir| {
        let widest = || model.weights().keys().next_back().copied().unwrap_or(Precision::F32);
        let weights = model.load(wishes.precision.unwrap_or_else(widest))?;
        let floats = match wishes.floats.are_needed() {
            // What is quantised on line must be what was quantised off line.
            true if wishes.floats.columns == ShortlistColumns::OnLine => Some(Precision::F32),
            true => Some(widest().max(Precision::F16)),
            false => None,
        };
        let floats = floats.map(|precision| model.load(precision)).transpose()?;
        let config = table_of(path, &model, table);
        Ok(Opened { path: path.into(), model, config, weights, floats, kernels: wishes.kernels })
    };
    models.into_iter().map(open).collect()
}

/// Only the networks' configurations, wherever they stand.
pub(crate) fn configurations(path: &Path, table: &str) -> Result<Vec<MarianConfig>> {
    if !is_weights(path) {
        let models = ModelDir::open_all(path)?;
        return Ok(models.iter().map(|model| table_of(path, model, table)).collect());
    }
    let weights = Weights::open(path)?;
    let text = weights.model_yml()?.filter(|_| table == MARIAN).unwrap_or_default();
    Ok(vec![MarianConfig::from_yaml(path, text)?])
}

/// The model's table of that name; empty where it has none.
fn table_of(path: &Path, model: &ModelDir, table: &str) -> MarianConfig {
    let none = || MarianConfig::from_entries(path, Vec::new());
    model.table(table).cloned().unwrap_or_else(none)
}

/// Whether a path names weights rather than a model with all that belongs to it.
pub(crate) fn is_weights(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|extension| extension == "npz" || extension == "bin")
}
