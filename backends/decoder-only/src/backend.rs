//! The backend: which models it takes, and how it opens one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dyno_api::{Backend, Model, Settings, SettingsReader, only_model};
use dyno_formats::Gguf;

use crate::error::{NAME, failed};
use crate::model::LanguageModel;
use crate::settings::RequestedSettings;

/// The engine `decoder-only`, which is a backend.
#[derive(Debug)]
pub struct DecoderOnly;

/// The engine `decoder-only`.
pub const ENGINE: DecoderOnly = DecoderOnly;

impl Backend for DecoderOnly {
    fn name(&self) -> &str {
        NAME
    }

    fn about(&self) -> &str {
        "Language models by a prompt (Llama, Qwen 2 and 3, Gemma 3, SmolLM) from GGUF files"
    }

    /// A file of another network suits as well: nothing else reads it, and opening says what it lacks.
    fn suits(&self, model: &Path) -> bool {
        Gguf::begins(model)
    }

    fn watches(&self) -> bool {
        true
    }

    fn shares_lines(&self) -> bool {
        true
    }

    fn takes_prompts(&self) -> bool {
        true
    }

    fn open(&self, models: &[PathBuf], settings: &Settings) -> dyno_api::Result<Arc<dyn Model>> {
        let model = only_model(NAME, models)?;
        let mut reader = SettingsReader::new(NAME, settings);
        let requested = RequestedSettings::read(&mut reader)?;
        reader.finish()?;
        let model = LanguageModel::open(model, &requested).map_err(failed)?;
        Ok(Arc::new(model))
    }
}
