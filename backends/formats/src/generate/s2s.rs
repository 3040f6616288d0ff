//! The tensors of Marian's recurrent models of type `s2s`, without norms. The names are those of Marian's
//! `src/models/s2s.h`.

use super::shapes::{Shapes, only, word_tables};
use crate::spec::{Cell, RecurrentSpec};
use crate::{MarianConfig, Result};

pub(super) fn shapes(config: &MarianConfig, words: usize, to: &mut Shapes) -> Result<()> {
    only(config, "layer-normalization", "false")?;
    only(config, "enc-type", "bidirectional")?;
    let model = config.spec()?;
    let network = model.recurrent()?;
    let (embedding, state, context) = (network.embedding, network.state, network.context());
    word_tables(config, "decoder_ff_logit_l2_Wt", words, embedding, to)?;
    encoder(network, to);
    decoder(network, to);
    to.product("decoder_W_comb_att", state, context);
    to.product("decoder_Wc_att", context, context);
    to.product("decoder_U_att", context, 1);
    to.bias("decoder_b_att", context);
    to.dense("decoder_ff_state", "", context, state);
    for (number, inputs) in [embedding, state, context].into_iter().enumerate() {
        to.dense("decoder_ff_logit_l1", &number.to_string(), inputs, embedding);
    }
    to.word_bias("decoder_ff_logit_l2_b", words);
    Ok(())
}

fn encoder(network: &RecurrentSpec, to: &mut Shapes) {
    for prefix in ["encoder_bi", "encoder_bi_r"] {
        for layer in 1..=network.encoder_depth {
            for number in 1..=network.encoder_cells {
                let name = match (layer, number) {
                    (1, 1) => prefix.to_owned(),
                    (1, _) => format!("{prefix}_cell{number}"),
                    _ => format!("{prefix}_l{layer}_cell{number}"),
                };
                let below = if layer == 1 { network.embedding } else { network.state };
                let inputs = if number == 1 { below } else { 0 };
                cell(network.encoder_cell, &name, inputs, network.state, to);
            }
        }
    }
}

/// In the first layer, the second cell reads the context; other cells read no input.
fn decoder(network: &RecurrentSpec, to: &mut Shapes) {
    let [base, high] = network.decoder_cells;
    for number in 1..=base {
        let inputs = [network.embedding, network.context()].get(number - 1).copied().unwrap_or(0);
        cell(network.decoder_cell, &format!("decoder_cell{number}"), inputs, network.state, to);
    }
    for layer in 2..=network.decoder_depth {
        for number in 1..=high {
            let inputs = if number == 1 { network.state } else { 0 };
            cell(network.decoder_cell, &format!("decoder_l{layer}_cell{number}"), inputs, network.state, to);
        }
    }
}

/// A cell over `inputs` values. 0 inputs make a transition, which has no input weights.
pub(super) fn cell(kind: Cell, name: &str, inputs: usize, state: usize, to: &mut Shapes) {
    let parts: &[(&str, usize)] = match kind {
        Cell::Gru | Cell::GruNematus => &[("", 2), ("x", 1)],
        Cell::Lstm => &[("", 4)],
    };
    for (part, times) in parts {
        let columns = times * state;
        if inputs > 0 {
            to.product(format!("{name}_W{part}"), inputs, columns);
        }
        to.product(format!("{name}_U{part}"), state, columns);
        to.bias(format!("{name}_b{part}"), columns);
    }
}
