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
mod memory;
mod network;
mod options;
mod product;
mod recurrent;
mod source;
mod stack;
mod worker;

use std::sync::Arc;

use dyno_formats::{MarianConfig, Result};
use dyno_nn::{Loaded, Network, Params};
use dyno_translator::{Customs, Engine, Position, Switch, Switches};

use network::RnnFc;
use worker::Worker;

/// For so many words, the first of the vocabulary, the first layers' products of their embeddings are computed at load
/// (the paper's k of 4.2).
pub const EMBEDDINGS: &str = "precomputed-embeddings";

/// Whether the context's share in the target's gates is averaged from products of the source words, which are computed
/// once for each sentence (4.3), or is the product of the averaged source words.
pub const ATTENTION: &str = "precomputed-attention";

/// Whether σ and tanh come from tables (4.4).
pub const TABLES: &str = "table-activations";

/// Whether hypotheses with the same state share its products (4.5).
pub const MERGED: &str = "merged-states";

/// The backend.
pub const ENGINE: Engine = Engine {
    name: "rnn-fc",
    about: "Attentional GRU or LSTM under fully-connected or recurrent layers (Devlin 2017)",
    customs: Customs { table: "rnn-fc", averages: true, switches: &SWITCHES },
    suits,
    load,
};

const SWITCHES: [Switch; 4] = [
    Switch { name: EMBEDDINGS, position: Position::Count(0) },
    Switch { name: ATTENTION, position: Position::Flag(true) },
    Switch { name: TABLES, position: Position::Flag(false) },
    Switch { name: MERGED, position: Position::Flag(true) },
];

/// Whoever has the table is of the family.
fn suits(config: &MarianConfig) -> Result<bool> {
    Ok(!config.entries().is_empty())
}

fn load(config: &MarianConfig, params: Params<'_>, switches: &Switches) -> Result<Arc<dyn Network>> {
    let network = Arc::new(RnnFc::new(config, params, switches)?);
    let (words, parameters) = (network.options.words, params.weights().parameters());
    let attended = network.bottom.attended();
    // A sentence's source is read once, and of the vocabulary's words few.
    let once =
        |name: &str| name.starts_with("source_") || name.starts_with("output_") || name.ends_with("Wemb");
    let stepped = params.bytes(|name| !once(name));
    let worker = move || Worker::new(Arc::clone(&network));
    Ok(Arc::new(Loaded { words, parameters, attended, stepped, worker }))
}
