//! The tensors of Marian's recurrent models of type `s2s`, without norms. The names are those of Marian's
//! `src/models/s2s.h`.

use super::shapes::{Shapes, only, word_tables};
use crate::{Fault, MarianConfig, Result};

pub(super) fn shapes(config: &MarianConfig, words: usize, to: &mut Shapes) -> Result<()> {
    only(config, "layer-normalization", "false")?;
    only(config, "enc-type", "bidirectional")?;
    let (embedding, state) = (config.count("dim-emb")?, config.count("dim-rnn")?);
    let context = 2 * state;
    word_tables(config, "decoder_ff_logit_l2_Wt", words, embedding, to)?;
    encoder(config, embedding, state, to)?;
    decoder(config, [embedding, context], state, to)?;
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

fn encoder(config: &MarianConfig, embedding: usize, state: usize, to: &mut Shapes) -> Result<()> {
    let kind = gates(config, "enc-cell")?;
    for prefix in ["encoder_bi", "encoder_bi_r"] {
        for layer in 1..=config.count("enc-depth")? {
            for number in 1..=config.count("enc-cell-depth")? {
                let name = match (layer, number) {
                    (1, 1) => prefix.to_owned(),
                    (1, _) => format!("{prefix}_cell{number}"),
                    _ => format!("{prefix}_l{layer}_cell{number}"),
                };
                let inputs = if layer == 1 { embedding } else { state };
                cell(kind, &name, if number == 1 { inputs } else { 0 }, state, to);
            }
        }
    }
    Ok(())
}

/// In the first layer, the second cell reads the context; other cells read no input.
fn decoder(config: &MarianConfig, inputs: [usize; 2], state: usize, to: &mut Shapes) -> Result<()> {
    let kind = gates(config, "dec-cell")?;
    for number in 1..=config.count("dec-cell-base-depth")? {
        let inputs = inputs.get(number - 1).copied().unwrap_or(0);
        cell(kind, &format!("decoder_cell{number}"), inputs, state, to);
    }
    for layer in 2..=config.count("dec-depth")? {
        for number in 1..=config.count("dec-cell-high-depth")? {
            let inputs = if number == 1 { state } else { 0 };
            cell(kind, &format!("decoder_l{layer}_cell{number}"), inputs, state, to);
        }
    }
    Ok(())
}

/// Kinds of cells by their gates.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Cell {
    /// Two gates, and a candidate with weights of its own.
    Gru,
    /// Four gates in one matrix.
    Lstm,
}

fn gates(config: &MarianConfig, key: &str) -> Result<Cell> {
    match config.text(key)? {
        "gru" => Ok(Cell::Gru),
        "lstm" => Ok(Cell::Lstm),
        other => {
            let what = format!("generating the cell `{other}`");
            Err(config.fault(key, Fault::unsupported(what, "there are gru and lstm")))
        }
    }
}

/// A cell over `inputs` values. 0 inputs make a transition, which has no input weights.
pub(super) fn cell(kind: Cell, name: &str, inputs: usize, state: usize, to: &mut Shapes) {
    let parts: &[(&str, usize)] = match kind {
        Cell::Gru => &[("", 2), ("x", 1)],
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
