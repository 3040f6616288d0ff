//! An opened language model: network, words and prompt, shared by all workers, and the facts about them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use dyno_api::{Breakdown, Facts, Model, OpenedFile, Session};
use dyno_formats::{BlockFormat, Gguf};
use dyno_nn::watch::SharedTimes;

use crate::answer::Rule;
use crate::error::{NAME, failed};
use crate::network::Network;
use crate::prompt::Prompt;
use crate::session::LanguageSession;
use crate::settings::RequestedSettings;
use crate::shared::{Counts, Shared};
use crate::vocabulary::Words;
use crate::{Error, Result};

/// Positions that a prompt must leave: a few words for a line, and for its answer.
const LEAST_ROOM: usize = 16;

/// An opened language model.
pub(crate) struct LanguageModel(Arc<Shared>);

impl LanguageModel {
    /// Opens the file at `path`.
    pub(crate) fn open(path: &Path, requested: &RequestedSettings) -> Result<Self> {
        let file = Gguf::open(path)?;
        let kernels = requested.kernel_settings.kernels;
        let network = Network::new(file, kernels)?;
        let words = Words::open(network.file(), network.words())?;
        let prompt = Prompt::new(network.file(), &words, &requested.message)?;
        if prompt.room(network.spec.context) < LEAST_ROOM {
            let fault = format!("the prompt takes all {} positions of the model", network.spec.context);
            return Err(Error::prompt(path, format!("{fault}; shorten it")));
        }
        requested.kernel_settings.write_tuning()?;
        let facts = facts(path, &network, kernels.isa().name());
        Ok(Self(Arc::new(Shared {
            network,
            words,
            prompt,
            rule: Rule { marks: requested.marks.clone() },
            threads: requested.kernel_settings.threads,
            max_length_factor: requested.max_length_factor,
            max_length: requested.max_length,
            times: SharedTimes::new(requested.breakdown),
            counts: Counts::default(),
            facts,
        })))
    }
}

fn facts(path: &Path, network: &Network, isa: &str) -> Facts {
    Facts {
        backend: NAME.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        isa: Some(isa.into()),
        precision: Some(format(network.file())),
        parameters: Some(network.parameters()),
        files: OpenedFile::all(vec![path.into()]),
        ..Facts::default()
    }
}

/// Format of most weights.
fn format(file: &Gguf) -> String {
    let mut bytes: Vec<(BlockFormat, usize)> = Vec::new();
    for tensor in file.names().filter_map(|name| file.tensor(name)) {
        match bytes.iter_mut().find(|(format, _)| *format == tensor.format) {
            Some((_, sum)) => *sum += tensor.bytes.len(),
            None => bytes.push((tensor.format, tensor.bytes.len())),
        }
    }
    let most = bytes.into_iter().max_by_key(|(_, sum)| *sum);
    most.map_or(String::new(), |(format, _)| format.name().to_lowercase())
}

/// Bytes of a position's keys and values.
fn bytes_of_position(network: &Network) -> usize {
    let spec = &network.spec;
    2 * spec.layers * spec.key_heads * spec.head * size_of::<f32>()
}

impl Model for LanguageModel {
    fn facts(&self) -> Facts {
        let Shared { network, counts, facts, .. } = &*self.0;
        let cut = counts.cut_lines.load(Ordering::Relaxed);
        Facts {
            counts: counts.named(network.bytes(), bytes_of_position(network)),
            cut_lines: (cut > 0).then_some(cut),
            ..facts.clone()
        }
    }

    fn session(&self) -> dyno_api::Result<Box<dyn Session>> {
        Ok(Box::new(LanguageSession::new(Arc::clone(&self.0)).map_err(failed)?))
    }

    fn attended_bytes(&self) -> Option<usize> {
        Some(bytes_of_position(&self.0.network))
    }

    fn stepped_bytes(&self) -> Option<usize> {
        Some(self.0.network.bytes())
    }

    fn breakdown(&self) -> dyno_api::Result<Option<Breakdown>> {
        Ok(self.0.times.breakdown())
    }
}
