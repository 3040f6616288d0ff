//! The engines of dyno as one plugin, with f32 products by the `gemm` crate: unpacked weights, one call a product, as in the
//! papers' baselines. Only `precision = "f32"` makes sense of it; everything else runs as in dyno. The setting
//! `transposed-weights` lays them out as PyTorch does; it's the plugin's own, and off by default.
//!
//! The wrapper `kernels` of this workspace stands in the place of `dyno-kernels`.
//!
//! `cargo build --release --manifest-path ci/peers/baseline/Cargo.toml --target-dir ci/peers/baseline/target`

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dyno_api::{Backend, Error, Model, Result, Settings};

dyno_plugin::export!(Baseline);

/// Name of the plugin's own setting.
const TRANSPOSED: &str = "transposed-weights";

/// The engine that suits the models, with a library's products.
pub struct Baseline;

const ENGINES: [&dyn Backend; 5] = [
    &dyno_rnn_fc::ENGINE,
    &dyno_gru::ENGINE,
    &dyno_ssru::ENGINE,
    &dyno_transformer_aan::ENGINE,
    &dyno_encoder::ENGINE,
];

impl Backend for Baseline {
    fn name(&self) -> &'static str {
        "baseline"
    }

    fn about(&self) -> &'static str {
        "The engines of dyno with f32 products by the gemm crate"
    }

    fn suits(&self, model: &Path) -> bool {
        ENGINES.iter().any(|engine| engine.suits(model))
    }

    fn open(&self, models: &[PathBuf], settings: &Settings) -> Result<Arc<dyn Model>> {
        let suits = |engine: &&&dyn Backend| models.iter().all(|model| engine.suits(model));
        let engine = ENGINES.iter().find(suits).ok_or_else(|| Error::Failed {
            backend: self.name().into(),
            reason: "no engine suits the models; name models that `dyno list` shows".into(),
        })?;
        let mut settings = settings.clone();
        let transposed = settings.remove(TRANSPOSED).map(|value| value.as_bool().ok_or(value)).unwrap_or(Ok(false));
        dyno_kernels::transpose_weights(transposed.map_err(|value| Error::RefusedSetting {
            backend: self.name().into(),
            setting: TRANSPOSED.into(),
            value: value.to_string(),
            reason: "it must be true or false".into(),
        })?);
        engine.open(models, &settings)
    }
}
