//! An opened encoder: tokeniser, network and settings, shared by all workers, and the facts about them.

use std::path::Path;
use std::sync::Arc;

use dyno_api::{Breakdown, Facts, Model, OpenedFile, Session};
use dyno_formats::Weights;
use dyno_nn::watch::SharedTimes;
use dyno_text::encoders::Tokeniser;

use crate::Result;
use crate::directory::Directory;
use crate::error::NAME;
use crate::modules::{After, Modules, Pooling, Steps};
use crate::network::Network;
use crate::session::{EncoderSession, Shared};
use crate::settings::RequestedSettings;

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
        let tokeniser = directory.tokeniser()?;
        let weights = Arc::new(Weights::open(directory.weights()?)?);
        let Modules { pooling, after, pools_prompt, .. } = &directory.modules;
        let skipped = if *pools_prompt { 0 } else { tokeniser.prompt_tokens()? };
        let steps = Steps { ways: pooling, skipped, after };
        let kernels = requested.kernel_settings.kernels;
        let network = Network::new(&weights, kernels, requested.precision, &directory.config, steps)?;
        requested.kernel_settings.write_tuning()?;
        let facts = facts(&directory, &tokeniser, &weights, &network, requested);
        let times = SharedTimes::new(requested.breakdown);
        let threads = requested.kernel_settings.threads;
        Ok(Self(Arc::new(Shared { tokeniser, network, threads, times, facts })))
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
    paths.extend(tokeniser.files().iter().cloned());
    paths.push(weights.origin().to_path_buf());
    for after in &directory.modules.after {
        if let After::Dense(folder, _) = after {
            paths.push(folder.join("model.safetensors"));
        }
    }
    Facts {
        backend: NAME.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        isa: Some(requested.kernel_settings.kernels.isa().name().into()),
        precision: Some(requested.precision.name().into()),
        parameters: Some(network.parameters()),
        files: OpenedFile::all(paths),
        ..Facts::default()
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
        Ok(self.0.times.breakdown())
    }
}
