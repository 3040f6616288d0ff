//! OpenNMT's recurrent network, as OpenNMT-py trains it (Senellart et al. 2018; Luong et al. 2015).
//!
//! An encoder of stacked layers, each in one direction or two, whose last states start the decoder's layers.
//! Above these, global attention reads the source and makes an attentional vector. The output layer reads
//! that vector, and so does the decoder's first layer at the next step: input feeding. docs/FORMAT.md has the
//! equations and the tensors' names.
//!
//! Cells and layers come from `dyno-nn`; the network shares with Marian's in this crate no more than those.

mod attention;
mod cells;
mod decoder;
mod encoder;
mod network;

use std::sync::Arc;

use dyno_formats::{ModelSpec, Result};
use dyno_nn::{Network, Params, Sizes};

use decoder::Worker;
use network::OpenNmt;

/// The network that `model` describes.
///
/// # Errors
/// When a parameter is missing or has another shape.
pub(crate) fn load(model: &ModelSpec, params: Params<'_>) -> Result<Network> {
    let network = Arc::new(OpenNmt::new(model, params)?);
    // Keys, and the context's share in the attentional vector, are products of the source's words.
    let once = ["decoder_att_Wk", "decoder_att_Wc"];
    let stepped = |name: &str| {
        (name.starts_with("decoder_l") || name.starts_with("decoder_att_")) && !once.contains(&name)
    };
    let sizes = Sizes {
        words: model.words,
        parameters: params.weights().parameters(),
        attended: 2 * network.spec.state,
        stepped_bytes: params.bytes(stepped),
    };
    Ok(Network::new(sizes, move || Worker::new(Arc::clone(&network))))
}
