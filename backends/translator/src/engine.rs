//! The one shape of all translating engines: which configurations it takes, and how it loads one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dyno_api::{Backend, Error, Model, Settings, SettingsReader};
use dyno_formats::{MarianConfig, Result, Weights};
use dyno_nn::{Network, Params};

use crate::model::Translator;
use crate::opening::{self, MARIAN, Opened};
use crate::settings::Wishes;
use crate::switches::{Switch, Switches};

/// An engine as a backend.
pub struct Engine {
    /// Its name.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Where its models keep what, and what may be set besides.
    pub customs: Customs,
    /// Whether a model's configuration is of its family.
    pub suits: fn(&MarianConfig) -> Result<bool>,
    /// Makes the network of a model of its family.
    pub load: fn(&MarianConfig, Params<'_>, &Switches) -> Result<Arc<dyn Network>>,
}

/// In what a family may differ from Marian's.
pub struct Customs {
    /// The table of `model.toml` that configures its models.
    pub table: &'static str,
    /// Whether an ensemble averages its members' log-probabilities instead of adding them up.
    pub averages: bool,
    /// The settings that it has beside a translator's.
    pub switches: &'static [Switch],
}

impl Customs {
    /// Those of Marian's models.
    pub const MARIAN: Self = Self { table: MARIAN, averages: false, switches: &[] };
}

impl Engine {
    fn failed(&self, reason: impl ToString) -> Error {
        Error::Failed { backend: self.name.into(), reason: reason.to_string() }
    }

    fn network(
        &self,
        opened: &Opened,
        wishes: &Wishes,
        switches: &Switches,
    ) -> dyno_api::Result<Arc<dyn Network>> {
        let suits = (self.suits)(&opened.config).map_err(|error| self.failed(error))?;
        if !suits {
            let (path, reason) =
                (opened.path.clone(), format!("its network isn't one that {} runs", self.name));
            return Err(Error::Model { path, reason });
        }
        let params = Params::new(&opened.weights, opened.kernels)
            .with_scales(wishes.scales.scales)
            .with_floats(opened.floats.as_ref())
            .with_columns(wishes.floats.columns)
            .with_races(wishes.floats.races);
        let network = (self.load)(&opened.config, params, switches);
        // Networks have packed what they need.
        [Some(&opened.weights), opened.floats.as_ref()].into_iter().flatten().for_each(Weights::release);
        network.map_err(|error| self.failed(error))
    }

    /// Refuses settings that a model can't honour, whatever its family.
    fn refuse(&self, opened: &Opened, wishes: &Wishes, settings: &Settings) -> dyno_api::Result<()> {
        let (precision, shortlist) =
            (opened.weights.precision(), wishes.shortlist.of(&opened.model).is_some());
        let fault = wishes
            .scales
            .fault(precision)
            .or_else(|| wishes.floats.fault(precision, shortlist))
            .or_else(|| wishes.ngrams_fault(shortlist));
        let refuse = |(setting, reason)| SettingsReader::new(self.name, settings).refuse(setting, reason);
        fault.map_or(Ok(()), |fault| Err(refuse(fault)))
    }

    /// How much each member of an ensemble counts: as set, else as the decoder's YAML says, else all alike.
    fn member_weights(&self, opened: &[Opened], wishes: &Wishes) -> dyno_api::Result<Vec<f32>> {
        const KEY: &str = "weights";
        let models = opened.len();
        let decoder = opened[0].model.decoder().filter(|decoder| decoder.has(KEY));
        let written = decoder.map(|decoder| decoder.floats(KEY)).transpose();
        let written = written.map_err(|error| self.failed(error))?;
        let weights = wishes.weights.clone().or(written).unwrap_or_else(|| {
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
        let suits = |config: &MarianConfig| (self.suits)(config).unwrap_or(false);
        opening::configurations(model, self.customs.table).is_ok_and(|configs| configs.iter().all(suits))
    }

    fn watches(&self) -> bool {
        true
    }

    fn open(&self, models: &[PathBuf], settings: &Settings) -> dyno_api::Result<Arc<dyn Model>> {
        if models.is_empty() {
            let (backend, given) = (self.name.into(), models.len());
            return Err(Error::ModelCount { backend, expected: "one model or more", given });
        }
        let mut reader = SettingsReader::new(self.name, settings);
        let wishes = Wishes::read(&mut reader)?;
        let switches = Switches::read(&mut reader, self.customs.switches)?;
        let whole = |model: &PathBuf| model.exists() && !opening::is_weights(model);
        if wishes.vocabularies.is_some() && models.iter().all(whole) {
            return Err(reader.refuse("vocab", "it belongs to weights alone; this model brings its own"));
        }
        reader.finish()?;
        let table = self.customs.table;
        let open = |path: &PathBuf| opening::open(path, table, &wishes).map_err(|error| self.failed(error));
        let opened = models.iter().map(open).collect::<dyno_api::Result<Vec<_>>>()?;
        let opened: Vec<Opened> = opened.into_iter().flatten().collect();
        opened.iter().try_for_each(|opened| self.refuse(opened, &wishes, settings))?;
        let networks = opened.iter().map(|opened| self.network(opened, &wishes, &switches));
        let networks = networks.collect::<dyno_api::Result<Vec<_>>>()?;
        let weights = self.member_weights(&opened, &wishes)?;
        let members = weights.into_iter().zip(networks).collect();
        let model = Translator::new(self.name, &opened, members, &wishes);
        let model = model.map_err(|reason| self.failed(reason))?;
        wishes
            .measured
            .iter()
            .try_for_each(|measured| measured.write())
            .map_err(|reason| self.failed(reason))?;
        Ok(Arc::new(model))
    }
}
