//! The engine `rnn-fc`: a recurrent layer with attention, and fully-connected layers above it, after Devlin,
//! "Sharp Models on Dull Hardware" (2017).
//!
//! The crate owns that network. The paper's systems S1 to S7 are configurations of it; docs/FORMAT.md lists
//! all equations and tensor names. The paper's techniques are switches:
//! - [`EMBEDDINGS`]: products of the first layers with frequent words are computed when the model is loaded.
//! - [`ATTENTION`]: the source's share in the target's gates is computed once for each sentence.
//! - [`MERGED`]: hypotheses that differ in their last word alone share the products of their state.
//! - [`TABLES`]: σ and tanh come from tables. This is the only switch that may change a translation.
//!
//! # From a batch to a word
//! 1. `source` runs recurrent layers over the words of all sentences (`embedded`, `recurrent`).
//! 2. `bottom` attends to the source at each step, and advances its cell.
//! 3. `stack` runs the fully-connected layers and the top; `dyno-nn`'s output layer chooses the word.
//!
//! # Modules
//! | module | contents |
//! | --- | --- |
//! | `network`, `worker` | the weights, and a worker's decoder |
//! | `source`, `bottom`, `stack` | the layers of source and target |
//! | `recurrent`, `states` | recurrent layers, and the states of hypotheses |
//! | `embedded` | embeddings with precomputed products |
//! | `switches` | the settings of this engine |
//!
//! # What it leaves out
//! Candidate lists, early stop, ensembles and the replacement of unknown words: `dyno-translator` has them
//! for all engines.

mod bottom;
mod counts;
mod embedded;
mod network;
mod recurrent;
mod source;
mod stack;
mod states;
mod switches;
mod worker;

use std::sync::Arc;

use dyno_formats::{Family, ModelSpec, Result};
use dyno_nn::{Network, Params, Sizes};
use dyno_translator::{Customs, Engine, Switches};

use network::RnnFc;
use switches::SWITCHES;
pub use switches::{ATTENTION, EMBEDDINGS, MERGED, TABLES};
use worker::Worker;

/// The backend.
pub const ENGINE: Engine = Engine {
    name: "rnn-fc",
    about: "Attentional GRU or LSTM under fully-connected or recurrent layers (Devlin 2017)",
    customs: Customs { averages: true, switches: &SWITCHES },
    families: &[Family::FullyConnected],
    load,
};

fn load(model: &ModelSpec, params: Params<'_>, switches: &Switches) -> Result<Network> {
    let network = Arc::new(RnnFc::new(model, params, switches)?);
    // A step reads no weights of the source, and few words of the vocabulary.
    let once =
        |name: &str| name.starts_with("source_") || name.starts_with("output_") || name.ends_with("Wemb");
    let sizes = Sizes {
        words: model.words,
        parameters: params.weights().parameters(),
        attended: network.bottom.attended(),
        stepped_bytes: params.bytes(|name| !once(name)),
    };
    let counted = Arc::clone(&network);
    let decoders = Network::new(sizes, move || Worker::new(Arc::clone(&network)));
    Ok(decoders.with_counts(move || counted.done.counts()))
}
