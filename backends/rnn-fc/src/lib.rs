//! The engine `rnn-fc`: a recurrent layer that attends, and fully-connected layers on top of it, after Devlin, "Sharp
//! Models on Dull Hardware" (2017). The paper's systems S1 to S7 are configurations of it, which docs/FORMAT.md
//! describes with all equations and tensor names.
//!
//! It owns that network, and the paper's techniques, each as a switch: what the first layers make of frequent words
//! is computed when the model is loaded ([`EMBEDDINGS`]), what the source contributes to the target's gates once for each
//! sentence ([`ATTENTION`]), hypotheses that differ in their last word alone share the products of their state
//! ([`MERGED`]), and σ and tanh may come from tables ([`TABLES`]). The first three change no translation. Candidate lists,
//! early stop, ensembles and the replacement of unknown words are `dyno-translator`'s, for all engines.

mod bottom;
mod embedded;
mod network;
mod options;
mod recurrent;
mod source;
mod stack;
mod states;
mod switches;
mod worker;

use std::sync::Arc;

use dyno_formats::{MarianConfig, Result};
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
    customs: Customs { table: "rnn-fc", averages: true, switches: &SWITCHES },
    suits,
    load,
};

/// A model with the table `rnn-fc` is of the family.
fn suits(config: &MarianConfig) -> Result<bool> {
    Ok(!config.entries().is_empty())
}

fn load(config: &MarianConfig, params: Params<'_>, switches: &Switches) -> Result<Network> {
    let network = Arc::new(RnnFc::new(config, params, switches)?);
    // A step reads no weights of the source, and few words of the vocabulary.
    let once =
        |name: &str| name.starts_with("source_") || name.starts_with("output_") || name.ends_with("Wemb");
    let sizes = Sizes {
        words: network.options.words,
        parameters: params.weights().parameters(),
        attended: network.bottom.attended(),
        stepped_bytes: params.bytes(|name| !once(name)),
    };
    Ok(Network::new(sizes, move || Worker::new(Arc::clone(&network))))
}
