//! From a path to what a translator is made of.

use std::path::{Path, PathBuf};

use dyno_formats::{MarianConfig, ModelDir, Precision, Result, Weights};

use crate::settings::Wishes;

/// A model, read.
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) model: ModelDir,
    pub(crate) config: MarianConfig,
    pub(crate) weights: Weights,
}

/// Opens the model at `path`; weights alone take their vocabularies from the settings.
pub(crate) fn open(path: &Path, wishes: &Wishes) -> Result<Opened> {
    let model = match &wishes.vocabularies {
        Some([source, target]) if is_weights(path) => ModelDir::open_weights(path, [source, target], None)?,
        _ => ModelDir::open(path)?,
    };
    let widest = || model.weights().keys().next_back().copied().unwrap_or(Precision::F32);
    let precision = wishes.precision.unwrap_or_else(widest);
    let weights = model.load(precision)?;
    let config = marian(path, &model)?;
    Ok(Opened { path: path.into(), model, config, weights })
}

/// Only the network's configuration, wherever it stands.
pub(crate) fn configuration(path: &Path) -> Result<MarianConfig> {
    if !is_weights(path) {
        return marian(path, &ModelDir::open(path)?);
    }
    let weights = Weights::open(path)?;
    let text = weights.model_yml()?.unwrap_or_default();
    MarianConfig::from_yaml(path, text)
}

fn marian(path: &Path, model: &ModelDir) -> Result<MarianConfig> {
    let none = || MarianConfig::from_entries(path, Vec::new());
    Ok(model.marian().cloned().unwrap_or_else(none))
}

/// Whether a path names weights rather than a model with all that belongs to it.
fn is_weights(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|extension| extension == "npz" || extension == "bin")
}
