//! The one shape of all engines for Marian's models: which configurations it takes, and how it loads one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dyno_api::{Backend, Error, Model, Settings, SettingsReader};
use dyno_formats::{MarianConfig, Result, Weights};
use dyno_nn::Network;

use crate::model::Translator;
use crate::opening::{self, Opened};
use crate::settings::Wishes;

/// An engine as a backend.
pub struct Engine {
    /// Its name.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Whether a model's configuration is of its family.
    pub suits: fn(&MarianConfig) -> Result<bool>,
    /// Makes the network of a model of its family.
    pub load: fn(&MarianConfig, &Weights) -> Result<Arc<dyn Network>>,
}

impl Engine {
    fn failed(&self, reason: impl ToString) -> Error {
        Error::Failed { backend: self.name.into(), reason: reason.to_string() }
    }

    fn network(&self, opened: &Opened) -> dyno_api::Result<Arc<dyn Network>> {
        let suits = (self.suits)(&opened.config).map_err(|error| self.failed(error))?;
        if !suits {
            let (path, reason) =
                (opened.path.clone(), format!("its network isn't one that {} runs", self.name));
            return Err(Error::Model { path, reason });
        }
        (self.load)(&opened.config, &opened.weights).map_err(|error| self.failed(error))
    }
}

impl Backend for Engine {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn suits(&self, model: &Path) -> bool {
        opening::configuration(model).is_ok_and(|config| (self.suits)(&config).unwrap_or(false))
    }

    fn open(&self, models: &[PathBuf], settings: &Settings) -> dyno_api::Result<Arc<dyn Model>> {
        if models.is_empty() {
            let (backend, given) = (self.name.into(), models.len());
            return Err(Error::ModelCount { backend, expected: "one model or more", given });
        }
        let mut reader = SettingsReader::new(self.name, settings);
        let wishes = Wishes::read(&mut reader, models.len())?;
        reader.finish()?;
        let open = |path: &PathBuf| opening::open(path, &wishes).map_err(|error| self.failed(error));
        let opened = models.iter().map(open).collect::<dyno_api::Result<Vec<_>>>()?;
        let networks = opened.iter().map(|opened| self.network(opened));
        let networks = networks.collect::<dyno_api::Result<Vec<_>>>()?;
        let model = Translator::new(self.name, &opened, networks, &wishes);
        Ok(Arc::new(model.map_err(|reason| self.failed(reason))?))
    }
}
