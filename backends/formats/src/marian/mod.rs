//! Marian's models: their configurations, and the networks that the configurations describe.
//!
//! This is the only place that knows Marian's keys of a network. `config` reads keys as they are written, with
//! Marian's `defaults`; `support` refuses models that no engine runs; `transformer` and `recurrent` make the
//! description of a network. `writer` is their reverse, for a network that another format describes.

mod config;
mod defaults;
mod recurrent;
mod support;
mod transformer;
mod writer;

use crate::spec::{Family, ModelSpec, NetworkSpec, VectorsSpec};
use crate::{Error, Fault, Result, Weights};

pub use config::MarianConfig;
pub(crate) use support::refuse_factored;
pub(crate) use writer::entries_of;

/// Key of the sublayer that reads the words before.
const AUTOREGRESSION: &str = "transformer-decoder-autoreg";

impl MarianConfig {
    /// The family of the network.
    ///
    /// # Errors
    /// When the type of the model is unknown.
    pub fn family(&self) -> Result<Family> {
        match self.text("type")? {
            "s2s" | "amun" | "nematus" => Ok(Family::Recurrent),
            "transformer" => match self.text(AUTOREGRESSION)? {
                "self-attention" => Ok(Family::SelfAttention),
                "average-attention" => Ok(Family::AverageAttention),
                "rnn" => Ok(Family::RecurrentUnits),
                other => {
                    Err(self.lacks(AUTOREGRESSION, &format!("a decoder with `{other}`"), AUTOREGRESSIONS))
                }
            },
            other => Err(self.unknown_type(other)),
        }
    }

    /// The network.
    ///
    /// # Errors
    /// When an unknown key is switched on, or a value makes no sense.
    pub fn spec(&self) -> Result<ModelSpec> {
        let network = match self.family()? {
            Family::Recurrent => NetworkSpec::Recurrent(recurrent::read(self)?),
            family => NetworkSpec::Transformer(transformer::read(self, family)?),
        };
        let words = self.vocabulary_sizes()?;
        Ok(ModelSpec { origin: self.origin().into(), words, vectors: self.vectors(words)?, network })
    }

    fn vectors(&self, [source, target]: [usize; 2]) -> Result<VectorsSpec> {
        let all = self.flag("tied-embeddings-all")?;
        let shared = all || self.flag("tied-embeddings-src")?;
        // The shared table has a row for each source word; a target vocabulary of another size can't share it.
        if shared && source != target {
            return Err(self.fault("dim-vocabs", "must be the same twice where embeddings are tied"));
        }
        let tied = all || self.flag("tied-embeddings")?;
        Ok(VectorsSpec { shared, tied, bias: !self.flag("output-omit-bias")? })
    }

    /// The error of a value for which no engine has code.
    fn lacks(&self, key: &str, what: &str, remedy: &'static str) -> Error {
        self.fault(key, Fault::unsupported(what, remedy))
    }
}

/// Remedy for an unknown decoder of a Transformer.
const AUTOREGRESSIONS: &str = "there are self-attention, average-attention and rnn";

impl Weights {
    /// Marian's configuration inside of the weights.
    ///
    /// # Errors
    /// When there is none, or it is faulty.
    pub fn marian(&self) -> Result<MarianConfig> {
        let text = self.model_yml()?;
        let text = text.ok_or_else(|| Error::content(self.origin(), "has no configuration of a network"))?;
        MarianConfig::from_yaml(self.origin(), text)
    }
}
