//! The engines of dyno as one plugin, with f32 products by a library: unpacked weights, one call a product, as in the
//! papers' baselines. Only `precision = "f32"` makes sense of it; everything else runs as in dyno. Some settings are
//! the plugin's own; switches are off by default. `ci/peers/baseline/fetch` fetches the libraries.
//!
//! | setting | effect |
//! | --- | --- |
//! | `library` | `gemm` (default), `onednn`, `mkl`, `openblas` or `eigen` multiplies |
//! | `transposed-weights` | weights lie as PyTorch keeps them, [outputs, inputs] |
//! | `adaptive-weights` | weights lie in both forms, and each product takes the one that was faster for its shape |
//! | `saved-dispatch` | a thread keeps oneDNN's primitive of each shape |
//! | `inner-block` | oneDNN multiplies so many rows of the weights at a time; all of them by default |
//!
//! The wrapper `kernels` of this workspace stands in the place of `dyno-kernels`.
//!
//! `cargo build --release --manifest-path ci/peers/baseline/Cargo.toml --target-dir ci/peers/baseline/target`

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dyno_api::{Backend, Error, Model, Result, Settings};
use dyno_kernels::Switches;

dyno_plugin::export!(Baseline);

/// Names of the plugin's own settings.
const TRANSPOSED: &str = "transposed-weights";
const ADAPTIVE: &str = "adaptive-weights";
const SAVED: &str = "saved-dispatch";
const BLOCK: &str = "inner-block";
const LIBRARY: &str = "library";

/// Folder of the shared libraries, which `ci/peers/baseline/fetch` fills.
const LIBRARIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/libraries");

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
        "The engines of dyno with f32 products by a library"
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
        dyno_kernels::transpose_weights(self.switch(TRANSPOSED, &mut settings)?);
        dyno_kernels::adapt_weights(self.switch(ADAPTIVE, &mut settings)?);
        let switches = Switches {
            saves_dispatch: self.switch(SAVED, &mut settings)?,
            inner_block: self.block(&mut settings)?,
        };
        let library = settings.remove(LIBRARY).unwrap_or("gemm".into());
        let name = library.as_str().unwrap_or_default();
        let chosen = dyno_kernels::choose_library(name, switches, Path::new(LIBRARIES));
        chosen.map_err(|reason| {
            self.refused(
                LIBRARY,
                &library,
                &format!("{reason}; ci/peers/baseline/fetch fetches the libraries"),
            )
        })?;
        engine.open(models, &settings)
    }
}

impl Baseline {
    /// A setting of the plugin's own that is on or off; off by default.
    fn switch(&self, name: &str, settings: &mut Settings) -> Result<bool> {
        let value = settings.remove(name).unwrap_or(false.into());
        value.as_bool().ok_or_else(|| self.refused(name, &value, "it must be true or false"))
    }

    /// The rows of a block, if they are given.
    fn block(&self, settings: &mut Settings) -> Result<Option<usize>> {
        let rows = |value: &serde_json::Value| value.as_u64().filter(|rows| *rows > 0)?.try_into().ok();
        let given = settings.remove(BLOCK);
        given
            .map(|it| rows(&it).ok_or_else(|| self.refused(BLOCK, &it, "it must be a number of rows")))
            .transpose()
    }

    fn refused(&self, setting: &str, value: &serde_json::Value, reason: &str) -> Error {
        Error::RefusedSetting {
            backend: self.name().into(),
            setting: setting.into(),
            value: value.to_string(),
            reason: reason.into(),
        }
    }
}
