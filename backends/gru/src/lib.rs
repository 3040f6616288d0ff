//! The engine `gru`: Marian's recurrent models (`type: s2s`, `amun`, `nematus`), after the OpenNMT entry of 2018: a
//! bidirectional encoder, and a decoder that attends between the cells of its first layer.
//!
//! It owns recurrent cells, their stacks, the attention of one layer's perceptron, and the deep output; the output
//! layer itself is `dyno-nn`'s, text and search are `dyno-translator`'s. Encoder types, cells and norms are whatever the
//! model's configuration says; what this engine doesn't have is refused by name when the model is opened.
//!
//! What it leaves out: cells that no published model uses (tanh, relu, mlstm, mgru, and sru and ssru outside of
//! Transformers), and several hops or heads of attention.

mod attention;
mod cell;
mod decoder;
mod encoder;
mod layers;
mod names;
mod network;
mod options;
mod projection;

use std::sync::Arc;

use dyno_formats::{MarianConfig, Result};
use dyno_nn::{Network, Params, Sizes};
use dyno_translator::{Customs, Engine, Switches};

use decoder::Worker;
use network::Rnn;

/// The backend.
pub const ENGINE: Engine = Engine {
    name: "gru",
    about: "Recurrent encoder and decoder with GRU or LSTM cells (Marian's types s2s, amun and nematus)",
    customs: Customs::MARIAN,
    suits,
    load,
};

fn suits(config: &MarianConfig) -> Result<bool> {
    Ok(matches!(config.text("type")?, "s2s" | "amun" | "nematus"))
}

fn load(config: &MarianConfig, params: Params<'_>, _: &Switches) -> Result<Network> {
    let rnn = Arc::new(Rnn::new(config, params)?);
    let sizes = Sizes {
        words: rnn.options.words,
        parameters: params.weights().parameters(),
        attended: 2 * rnn.options.context(), // the keys of attention, and the context vectors
        stepped_bytes: params.decoder_bytes(),
    };
    Ok(Network::new(sizes, move || Worker::new(Arc::clone(&rnn))))
}
