//! The backend: which models it takes, and how it opens one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dyno_api::{Backend, Model, Settings, SettingsReader, Task, only_model};

use crate::directory::is_encoder;
use crate::error::{NAME, failed};
use crate::model::EncoderModel;
use crate::settings::RequestedSettings;

/// The engine `encoder`, which is a backend.
#[derive(Debug)]
pub struct Encoder;

/// The engine `encoder`.
pub const ENGINE: Encoder = Encoder;

impl Backend for Encoder {
    fn name(&self) -> &str {
        NAME
    }

    fn about(&self) -> &str {
        "Sentence encoders (BERT, RoBERTa, XLM-R, DistilBERT, MiniLM) from Hugging Face directories"
    }

    fn task(&self) -> Task {
        Task::Encode
    }

    fn suits(&self, model: &Path) -> bool {
        is_encoder(model)
    }

    fn watches(&self) -> bool {
        true
    }

    fn shares_lines(&self) -> bool {
        true
    }

    fn open(&self, models: &[PathBuf], settings: &Settings) -> dyno_api::Result<Arc<dyn Model>> {
        let model = only_model(NAME, models)?;
        let mut reader = SettingsReader::new(NAME, settings);
        let requested = RequestedSettings::read(&mut reader)?;
        reader.finish()?;
        let model = EncoderModel::open(model, &requested).map_err(failed)?;
        Ok(Arc::new(model))
    }
}
