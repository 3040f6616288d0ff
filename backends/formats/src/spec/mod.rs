//! What a network is, in words of no format: the description that engines read.
//!
//! Each format has a reader that makes a [`ModelSpec`] from its own words, or refuses what no engine runs by
//! the word's name: `marian`, `hugging_face`, `opennmt`, and `fully_connected` for the table of `rnn-fc`.
//! Engines and layers then need no format's keys. A language model, which translates without an encoder, has a
//! description of its own, [`DecoderOnlySpec`], whose reader is `gguf`. A description holds no tensor, and
//! says nothing of vocabularies and searches.

mod decoder_only;
mod fully_connected;
mod opennmt;
mod recurrent;
mod transformer;

use std::path::PathBuf;

use crate::{Error, Fault, Result};

pub use decoder_only::{DecoderOnlySpec, Pairs, Rotation, Windows};
pub use fully_connected::{FullyConnectedSpec, SourceSpec, TargetSpec, TopSpec};
pub use opennmt::{Directions, GlobalAttention, OpenNmtSpec};
pub use recurrent::{Cell, EncoderKind, NormStyle, RecurrentSpec};
pub use transformer::{
    Activation, AutoregressionSpec, AverageSpec, ChainSpec, FeedSpec, Operation, Positions, SsruSpec,
    TransformerSpec,
};

/// Family of a network: what decides which engine runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A Transformer whose decoder has self-attention.
    SelfAttention,
    /// A Transformer whose decoder has average attention.
    AverageAttention,
    /// A Transformer whose decoder has recurrent units.
    RecurrentUnits,
    /// A recurrent encoder and decoder.
    Recurrent,
    /// A recurrent layer with attention under fully-connected layers.
    FullyConnected,
}

/// Description of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSpec {
    /// The file that describes the network, for messages.
    pub origin: PathBuf,
    /// Words of the source vocabulary and of the target vocabulary.
    pub words: [usize; 2],
    /// Vectors of words, and the output weights.
    pub vectors: VectorsSpec,
    /// The layers between them.
    pub network: NetworkSpec,
}

/// Which sides share vectors of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorsSpec {
    /// Whether source and target have one table.
    pub shared: bool,
    /// Whether the target's table is the output weights, too.
    pub tied: bool,
    /// Whether the output has a bias.
    pub bias: bool,
}

/// The layers of a network.
#[derive(Clone, Debug, PartialEq)]
pub enum NetworkSpec {
    /// A Transformer with any decoder.
    Transformer(TransformerSpec),
    /// A recurrent encoder and decoder.
    Recurrent(RecurrentSpec),
    /// OpenNMT's recurrent encoder and decoder.
    OpenNmt(OpenNmtSpec),
    /// A recurrent layer with attention under fully-connected layers.
    FullyConnected(FullyConnectedSpec),
}

impl ModelSpec {
    /// The network's family.
    pub fn family(&self) -> Family {
        match &self.network {
            NetworkSpec::Transformer(transformer) => match transformer.autoregression {
                AutoregressionSpec::SelfAttention => Family::SelfAttention,
                AutoregressionSpec::Average(_) => Family::AverageAttention,
                AutoregressionSpec::Ssru(_) => Family::RecurrentUnits,
            },
            NetworkSpec::Recurrent(_) | NetworkSpec::OpenNmt(_) => Family::Recurrent,
            NetworkSpec::FullyConnected(_) => Family::FullyConnected,
        }
    }

    /// The layers of a Transformer.
    ///
    /// # Errors
    /// When the network is of another kind.
    pub fn transformer(&self) -> Result<&TransformerSpec> {
        match &self.network {
            NetworkSpec::Transformer(transformer) => Ok(transformer),
            _ => Err(self.misfit()),
        }
    }

    /// The layers of a recurrent network.
    ///
    /// # Errors
    /// When the network is of another kind.
    pub fn recurrent(&self) -> Result<&RecurrentSpec> {
        match &self.network {
            NetworkSpec::Recurrent(recurrent) => Ok(recurrent),
            _ => Err(self.misfit()),
        }
    }

    /// The layers of OpenNMT's recurrent network.
    ///
    /// # Errors
    /// When the network is of another kind.
    pub fn opennmt(&self) -> Result<&OpenNmtSpec> {
        match &self.network {
            NetworkSpec::OpenNmt(network) => Ok(network),
            _ => Err(self.misfit()),
        }
    }

    /// The layers of a network with fully-connected layers.
    ///
    /// # Errors
    /// When the network is of another kind.
    pub fn fully_connected(&self) -> Result<&FullyConnectedSpec> {
        match &self.network {
            NetworkSpec::FullyConnected(network) => Ok(network),
            _ => Err(self.misfit()),
        }
    }

    /// The error of an engine that has no such network.
    pub fn misfit(&self) -> Error {
        let fault = Fault::unsupported("this kind of network", "choose the engine of its family");
        Error::content(&self.origin, fault)
    }
}
