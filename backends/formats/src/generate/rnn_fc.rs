//! The tensors of the family `rnn-fc`, as docs/FORMAT.md lists them.

use super::s2s::cell;
use super::shapes::Shapes;
use crate::spec::{Cell, FullyConnectedSpec, TopSpec};
use crate::{MarianConfig, Result, fully_connected};

pub(super) fn shapes(config: &MarianConfig, words: usize, to: &mut Shapes) -> Result<()> {
    let model = fully_connected::spec(config)?;
    let network = model.fully_connected()?;
    source(network, to);
    bottom(network, to);
    let mut width = network.target.width;
    for layer in 1..=network.fc.0 {
        to.dense("fc", &layer.to_string(), width, network.fc.1);
        width = network.fc.1;
    }
    top(network, to);
    if model.vectors.tied {
        to.words("Wemb", words, network.embedding);
    } else {
        to.words("source_Wemb", words, network.embedding);
        to.words("target_Wemb", words, network.embedding);
        to.words("output_Wt", words, network.hidden());
    }
    to.word_bias("output_b", words);
    Ok(())
}

fn source(network: &FullyConnectedSpec, to: &mut Shapes) {
    let source = &network.source;
    let mut inputs = network.embedding;
    for layer in 1..=source.depth {
        let ways = &["forward", "backward"][..source.ways(layer)];
        for way in ways {
            cell(source.cell, &format!("source_l{layer}_{way}"), inputs, source.width, to);
        }
        inputs = ways.len() * source.width;
    }
}

fn bottom(network: &FullyConnectedSpec, to: &mut Shapes) {
    let (target, context) = (&network.target, network.context());
    let gates = if target.cell == Cell::Lstm { 4 } else { 3 } * target.width;
    to.dense("start", "", context, target.width);
    for (part, rows) in [("W", target.width), ("Wx", network.embedding), ("U", context)] {
        to.product(format!("attention_{part}"), rows, target.attention);
        to.product(format!("target_{part}"), rows, gates);
    }
    to.bias("target_b", gates);
}

fn top(network: &FullyConnectedSpec, to: &mut Shapes) {
    let below = network.below_top();
    match network.top {
        TopSpec::None => {}
        TopSpec::Tanh(width) => to.dense("top", "", below, width),
        TopSpec::Recurrent { cell: kind, depth, width } => (1..=depth).for_each(|layer| {
            cell(kind, &format!("top_l{layer}"), if layer == 1 { below } else { width }, width, to);
        }),
    }
}
