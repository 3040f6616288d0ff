//! Opening of model files: from a path to the weights and files of a translator.

use std::path::{Path, PathBuf};

use dyno_formats::{Family, ModelDir, Precision, Result, Weights};
use dyno_nn::math::Kernels;
use dyno_nn::{ActivationScales, ShortlistColumns};

use crate::settings::RequestedSettings;

/// An opened model: its files, read.
pub(crate) struct OpenedModel {
    pub(crate) path: PathBuf,
    pub(crate) model: ModelDir,
    pub(crate) weights: Weights,
    /// The weights in f32, where the settings need them.
    pub(crate) full_precision: Option<Weights>,
    /// Kernels that compute the products.
    pub(crate) kernels: Kernels,
}

/// Opens the model at `path`, or the models, where a decoder's YAML names several.
/// Weights without a model directory take their vocabularies from the settings.
pub(crate) fn open(path: &Path, requested: &RequestedSettings) -> Result<Vec<OpenedModel>> {
    let models = match &requested.vocabularies {
        Some([source, target]) if Weights::lie_at(path) => {
            vec![ModelDir::open_weights(path, [source, target], None)?]
        }
        _ => ModelDir::open_all(path)?,
    };
    let open = |model: ModelDir| {
        let widest = || model.weights().keys().next_back().copied().unwrap_or(Precision::F32);
        let precision = match requested.scales.scales {
            ActivationScales::Bf16 => widest().max(Precision::F16),
            _ => requested.precision.unwrap_or_else(|| model.default_precision()),
        };
        let weights = model.load(precision)?;
        let full_precision = match requested.full_precision.needs_weights() {
            // Quantisation on line must read the same values as quantisation off line did.
            true if requested.full_precision.0.columns == ShortlistColumns::OnLine => Some(Precision::F32),
            true => Some(widest().max(Precision::F16)),
            false => None,
        };
        let full_precision = full_precision.map(|precision| model.load(precision)).transpose()?;
        Ok(OpenedModel {
            path: path.into(),
            model,
            weights,
            full_precision,
            kernels: requested.kernel_settings.kernels,
        })
    };
    models.into_iter().map(open).collect()
}

/// The families of the networks at `path`, without the weights.
pub(crate) fn families(path: &Path) -> Result<Vec<Family>> {
    if Weights::lie_at(path) {
        return Ok(vec![Weights::open(path)?.marian()?.family()?]);
    }
    ModelDir::open_all(path)?.iter().map(ModelDir::family).collect()
}
