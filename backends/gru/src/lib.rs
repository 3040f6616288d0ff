//! The engine `gru`: recurrent models, those of Marian (`type: s2s`, `amun`, `nematus`) and OpenNMT's own, after
//! the OpenNMT entry of 2018.
//!
//! A model of Marian has a bidirectional encoder, and a decoder that attends between the cells of its first layer.
//! The crate owns recurrent cells, their stacks, the attention of a perceptron, and the deep output. The
//! description of the model decides about encoder types, cells and norms. Features that
//! the engine lacks are refused by name when the model is opened.
//!
//! # From a batch to a word
//! 1. `encoder` runs stacks of recurrent layers over the words of all sentences.
//! 2. `decoder` advances the first layer's cells with `attention` between them, then the layers above.
//! 3. The deep output adds up embedding, state and context; `dyno-nn`'s output layer chooses the word.
//!
//! # Modules
//! | module | contents |
//! | --- | --- |
//! | `names` | the names of parameters in files |
//! | `network`, `layers` | the weights of the network and of the decoder |
//! | `encoder`, `decoder` | the layers over source words, and a worker's decoder |
//! | `opennmt` | OpenNMT's network: stacked layers, global attention above them, and input feeding |
//! | `cell`, `attention`, `projection` | cells, attention, and products with norms in Marian's orders |
//!
//! # What it leaves out
//! Cells that no published model uses: tanh, relu, mlstm, mgru, and sru and ssru outside of Transformers.
//! Attention with several hops or heads. The output layer (`dyno-nn`), text and search (`dyno-translator`).

mod attention;
mod cell;
mod decoder;
mod encoder;
mod layers;
mod names;
mod network;
mod opennmt;
mod projection;

use std::sync::Arc;

use dyno_formats::spec::NetworkSpec;
use dyno_formats::{Family, ModelSpec, Result};
use dyno_nn::{Network, Params, Sizes};
use dyno_translator::{Customs, Engine, Switches};

use decoder::Worker;
use network::Rnn;

/// The backend.
pub const ENGINE: Engine = Engine {
    name: "gru",
    about: "Recurrent encoder and decoder with GRU or LSTM cells (Marian's s2s, amun and nematus, and OpenNMT's)",
    customs: Customs::NONE,
    families: &[Family::Recurrent],
    load,
};

fn load(spec: &ModelSpec, params: Params<'_>, _: &Switches) -> Result<Network> {
    if let NetworkSpec::OpenNmt(_) = spec.network {
        return opennmt::load(spec, params);
    }
    let rnn = Arc::new(Rnn::new(spec, params)?);
    let sizes = Sizes {
        words: spec.words,
        parameters: params.weights().parameters(),
        attended: 2 * rnn.spec.context(), // the keys of attention, and the context vectors
        stepped_bytes: params.decoder_bytes(),
    };
    Ok(Network::new(sizes, move || Worker::new(Arc::clone(&rnn))))
}
