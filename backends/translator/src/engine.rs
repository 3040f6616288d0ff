//! The shape that all translating engines share: an engine states which families of networks it runs and how
//! it loads one, and is a backend.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dyno_api::{Backend, Error, Model, Settings, SettingsReader};
use dyno_formats::{Family, ModelSpec, Result, Weights};
use dyno_nn::{Network, Params};

use crate::model::Translator;
use crate::model_files::{self, OpenedModel};
use crate::settings::{RequestedSettings, Switch, Switches};

/// A translating engine, which is a backend.
pub struct Engine {
    /// Name of the backend.
    pub name: &'static str,
    /// Description in one line.
    pub about: &'static str,
    /// Families of the networks that the engine runs.
    pub families: &'static [Family],
    /// Differences from other engines.
    pub customs: Customs,
    /// Makes the network that a model of such a family describes.
    pub load: fn(&ModelSpec, Params<'_>, &Switches) -> Result<Network>,
}

/// Differences of an engine from the others.
pub struct Customs {
    /// Whether an ensemble averages its members' log-probabilities instead of adding them up.
    pub averages: bool,
    /// Settings of the engine, in addition to those of all translators.
    pub switches: &'static [Switch],
}

impl Customs {
    /// No difference.
    pub const NONE: Self = Self { averages: false, switches: &[] };
}

impl Engine {
    fn failed(&self, reason: impl ToString) -> Error {
        Error::failed(self.name, reason)
    }

    fn network(
        &self,
        opened: &OpenedModel,
        requested: &RequestedSettings,
        switches: &Switches,
    ) -> dyno_api::Result<Network> {
        let family = opened.model.family().map_err(|error| self.failed(error))?;
        if !self.families.contains(&family) {
            let (path, reason) =
                (opened.path.clone(), format!("its network isn't one that {} runs", self.name));
            return Err(Error::Model { path, reason });
        }
        let spec = opened.model.spec().map_err(|error| self.failed(error))?;
        let params = Params::new(&opened.weights, opened.kernels)
            .with_scales(requested.scales.scales)
            .with_ways(requested.full_precision.0, opened.full_precision.as_ref());
        let network = (self.load)(&spec, params, switches);
        // The network has packed the weights that it needs.
        [Some(&opened.weights), opened.full_precision.as_ref()]
            .into_iter()
            .flatten()
            .for_each(Weights::release);
        network.map_err(|error| self.failed(error))
    }

    /// Refuses settings that the opened model can't honour.
    fn refuse(
        &self,
        opened: &OpenedModel,
        requested: &RequestedSettings,
        settings: &Settings,
    ) -> dyno_api::Result<()> {
        let (precision, shortlist) =
            (opened.weights.precision(), requested.shortlist.of(&opened.model).is_some());
        match requested.refusal(precision, shortlist) {
            Some((setting, reason)) => Err(SettingsReader::new(self.name, settings).refuse(setting, reason)),
            None => Ok(()),
        }
    }

    /// The weight of each member of an ensemble: from the settings, else from the decoder's YAML, else equal
    /// weights.
    fn member_weights(
        &self,
        opened: &[OpenedModel],
        requested: &RequestedSettings,
    ) -> dyno_api::Result<Vec<f32>> {
        const KEY: &str = "weights";
        let models = opened.len();
        let decoder = opened[0].model.decoder().filter(|decoder| decoder.has(KEY));
        let written = decoder.map(|decoder| decoder.floats(KEY)).transpose();
        let written = written.map_err(|error| self.failed(error))?;
        let weights = requested.weights.clone().or(written).unwrap_or_else(|| {
            let alike = if self.customs.averages { 1.0 / models as f32 } else { 1.0 };
            vec![alike; models]
        });
        if weights.len() == models {
            return Ok(weights);
        }
        let (backend, value) = (self.name.into(), format!("{weights:?}"));
        let reason = format!("it must be a number for each of {models} models");
        Err(Error::RefusedSetting { backend, setting: KEY.into(), value, reason })
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
        let suits = |family: &Family| self.families.contains(family);
        model_files::families(model).is_ok_and(|families| families.iter().all(suits))
    }

    fn watches(&self) -> bool {
        true
    }

    fn shares_lines(&self) -> bool {
        true
    }

    fn open(&self, models: &[PathBuf], settings: &Settings) -> dyno_api::Result<Arc<dyn Model>> {
        if models.is_empty() {
            let (backend, given) = (self.name.into(), models.len());
            return Err(Error::ModelCount { backend, expected: "one model or more", given });
        }
        let mut reader = SettingsReader::new(self.name, settings);
        let requested = RequestedSettings::read(&mut reader)?;
        let switches = Switches::read(&mut reader, self.customs.switches)?;
        let whole = |model: &PathBuf| model.exists() && !Weights::lie_at(model);
        if requested.vocabularies.is_some() && models.iter().all(whole) {
            return Err(reader.refuse("vocab", "it belongs to weights alone; this model brings its own"));
        }
        reader.finish()?;
        let open = |path: &PathBuf| model_files::open(path, &requested).map_err(|error| self.failed(error));
        let opened = models.iter().map(open).collect::<dyno_api::Result<Vec<_>>>()?;
        let opened: Vec<OpenedModel> = opened.into_iter().flatten().collect();
        opened.iter().try_for_each(|opened| self.refuse(opened, &requested, settings))?;
        let networks = opened.iter().map(|opened| self.network(opened, &requested, &switches));
        let networks = networks.collect::<dyno_api::Result<Vec<_>>>()?;
        let weights = self.member_weights(&opened, &requested)?;
        let members = weights.into_iter().zip(networks).collect();
        let model = Translator::new(self.name, &opened, members, &requested);
        let model = model.map_err(|error| error.of_backend(self.name))?;
        requested.kernel_settings.write_tuning().map_err(|error| self.failed(error))?;
        Ok(Arc::new(model))
    }
}
