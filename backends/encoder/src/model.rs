//! An opened encoder: tokeniser, network and settings, shared by all workers, and the facts about them.

use std::path::Path;
use std::sync::{Arc, Mutex};

use dyno_api::{Breakdown, Facts, Model, OpenedFile, Session};
use dyno_formats::Weights;

use crate::Result;
use crate::directory::Directory;
use crate::error::NAME;
use crate::modules::{After, Pooling};
use crate::network::Network;
use crate::session::EncoderSession;
use crate::settings::RequestedSettings;
use crate::shared::{Shared, UNPOISONED};
use crate::tokens::Tokeniser;

/// An opened encoder.
pub(crate) struct EncoderModel(Arc<Shared>);

impl EncoderModel {
    /// Opens the directory `path`.
    pub(crate) fn open(path: &Path, requested: &RequestedSettings) -> Result<Self> {
        let mut directory = Directory::open(path)?;
        let modules = &mut directory.modules;
        modules.most_tokens = requested.max_length.or(modules.most_tokens);
        if let Some(pooling) = requested.pooling {
            modules.pooling = vec![pooling];
            modules.after.retain(|_| pooling != Pooling::Tokens);
        }
        if let Some(normalise) = requested.normalise {
            modules.after.retain(|step| !matches!(step, After::Normalise));
            modules.after.extend(normalise.then_some(After::Normalise));
        }
        let tokeniser = Tokeniser::open(&directory)?;
        let weights = Arc::new(Weights::open(directory.weights()?)?);
        let after = (&directory.modules.pooling[..], &directory.modules.after[..]);
        let kernels = requested.kernel_settings.kernels;
        let network = Network::new(&weights, kernels, requested.precision, &directory.config, after)?;
        requested.kernel_settings.write_tuning()?;
        let facts = facts(&directory, &tokeniser, &weights, &network, requested);
        let times = requested.breakdown.then(Mutex::default);
        Ok(Self(Arc::new(Shared { tokeniser, network, threads: requested.threads, times, facts })))
    }
}

fn facts(
    directory: &Directory,
    tokeniser: &Tokeniser,
    weights: &Weights,
    network: &Network,
    requested: &RequestedSettings,
) -> Facts {
    let mut paths = directory.files.clone();
    paths.extend(tokeniser.files.iter().cloned());
    paths.push(weights.origin().to_path_buf());
    for after in &directory.modules.after {
        if let After::Dense(folder, _) = after {
            paths.push(folder.join("model.safetensors"));
        }
    }
    paths.sort();
    paths.dedup();
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    Facts {
        backend: NAME.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        isa: Some(requested.kernel_settings.kernels.isa().name().into()),
        precision: Some(requested.precision.name().into()),
        parameters: Some(network.parameters()),
        not_reproducible: None,
        files: paths.into_iter().map(|path| OpenedFile { bytes: size(&path), path }).collect(),
    }
}

impl Model for EncoderModel {
    fn facts(&self) -> Facts {
        self.0.facts.clone()
    }

    fn session(&self) -> dyno_api::Result<Box<dyn Session>> {
        Ok(Box::new(EncoderSession::new(Arc::clone(&self.0))?))
    }

    fn breakdown(&self) -> dyno_api::Result<Option<Breakdown>> {
        let times = self.0.times.as_ref().map(|times| times.lock().expect(UNPOISONED));
        Ok(times.map(|times| times.breakdown()))
    }
}
