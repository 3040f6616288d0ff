//! Opening of model files: from a path to the weights, configuration and vocabularies of a translator.

use std::path::{Path, PathBuf};

use dyno_formats::{MarianConfig, ModelDir, Precision, Result, Weights};
use dyno_nn::ShortlistColumns;
use dyno_nn::math::Kernels;

use crate::settings::RequestedSettings;

/// Name of the table with the configuration of a Marian model.
pub(crate) const MARIAN: &str = "marian";

/// An opened model: its files, read.
pub(crate) struct OpenedModel {
    pub(crate) path: PathBuf,
    pub(crate) model: ModelDir,
    pub(crate) config: MarianConfig,
    pub(crate) weights: Weights,
    /// The weights in f32, where the settings need them.
    pub(crate) full_precision: Option<Weights>,
    /// Kernels that compute the products.
    pub(crate) kernels: Kernels,
}

/// Opens the model at `path`, or the models, where a decoder's YAML names several; `table` configures them.
/// Weights without a model directory take their vocabularies from the settings.
pub(crate) fn open(path: &Path, table: &str, requested: &RequestedSettings) -> Result<Vec<OpenedModel>> {
    let models = match &requested.vocabularies {
        Some([source, target]) if is_weights(path) => {
            vec![ModelDir::open_weights(path, [source, target], None)?]
        }
        _ => ModelDir::open_all(path)?,
    };
    let open = |model: ModelDir| {
        let widest = || model.weights().keys().next_back().copied().unwrap_or(Precision::F32);
        let weights = model.load(requested.precision.unwrap_or_else(|| model.default_precision()))?;
        let full_precision = match requested.full_precision.needs_weights() {
            // Quantisation on line must read the same values as quantisation off line did.
            true if requested.full_precision.columns == ShortlistColumns::OnLine => Some(Precision::F32),
            true => Some(widest().max(Precision::F16)),
            false => None,
        };
        let full_precision = full_precision.map(|precision| model.load(precision)).transpose()?;
        let config = table_of(path, &model, table);
        Ok(OpenedModel {
            path: path.into(),
            model,
            config,
            weights,
            full_precision,
            kernels: requested.kernel_settings.kernels,
        })
    };
    models.into_iter().map(open).collect()
}

/// The precision that an engine takes for each model at `path` where its settings name none, and whether the
/// model's description names that precision. Weights alone are taken as they are.
///
/// # Errors
/// As [`ModelDir::open_all`].
pub fn default_precisions(path: &Path) -> Result<Vec<(Precision, bool)>> {
    if is_weights(path) {
        return Ok(vec![(Weights::open(path)?.precision(), false)]);
    }
    let default = |model: &ModelDir| (model.default_precision(), model.named_precision().is_some());
    Ok(ModelDir::open_all(path)?.iter().map(default).collect())
}

/// The configurations of the networks at `path`, without the weights.
pub(crate) fn configurations(path: &Path, table: &str) -> Result<Vec<MarianConfig>> {
    if !is_weights(path) {
        let models = ModelDir::open_all(path)?;
        return Ok(models.iter().map(|model| table_of(path, model, table)).collect());
    }
    let weights = Weights::open(path)?;
    let text = weights.model_yml()?.filter(|_| table == MARIAN).unwrap_or_default();
    Ok(vec![MarianConfig::from_yaml(path, text)?])
}

/// The model's table `table`; empty where the model has none.
fn table_of(path: &Path, model: &ModelDir, table: &str) -> MarianConfig {
    let none = || MarianConfig::from_entries(path, Vec::new());
    model.table(table).cloned().unwrap_or_else(none)
}

/// Whether `path` names a file of weights rather than a model directory or a decoder's YAML.
pub(crate) fn is_weights(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|extension| extension == "npz" || extension == "bin")
}
