//! The tensors of the family `rnn-fc`, as docs/FORMAT.md lists them.

use super::s2s::{Cell, cell};
use super::shapes::Shapes;
use crate::{MarianConfig, Result};

pub(super) fn shapes(config: &MarianConfig, words: usize, to: &mut Shapes) -> Result<()> {
    let read = Table(config);
    let (embedding, target) = (config.count("dim-emb")?, config.count("dim-target")?);
    let context = source(read, embedding, to)?;
    let hidden = {
        bottom(read, [embedding, target, context], to)?;
        let below = fully_connected(read, target, to)?;
        top(read, below, embedding, to)?
    };
    if read.flag("tied-embeddings-all", true)? {
        to.words("Wemb", words, embedding);
    } else {
        to.words("source_Wemb", words, embedding);
        to.words("target_Wemb", words, embedding);
        to.words("output_Wt", words, hidden);
    }
    to.word_bias("output_b", words);
    Ok(())
}

/// Adds the source's layers; gives the width of the vectors that attention reads.
fn source(read: Table<'_>, embedding: usize, to: &mut Shapes) -> Result<usize> {
    let (kind, width) = (read.cell("source-cell")?, read.0.count("dim-source")?);
    let both = read.word("source-type", "bidirectional")? == "bidirectional";
    let mut inputs = embedding;
    for layer in 1..=read.0.count("source-depth")? {
        let ways = if both || layer == 1 { &["forward", "backward"][..] } else { &["forward"] };
        for way in ways {
            cell(kind, &format!("source_l{layer}_{way}"), inputs, width, to);
        }
        inputs = ways.len() * width;
    }
    Ok(inputs)
}

fn bottom(read: Table<'_>, [embedding, target, context]: [usize; 3], to: &mut Shapes) -> Result<()> {
    let attention = read.0.count("dim-attention")?;
    let gates = if read.cell("target-cell")? == Cell::Lstm { 4 } else { 3 } * target;
    to.dense("start", "", context, target);
    for (part, rows) in [("W", target), ("Wx", embedding), ("U", context)] {
        to.product(format!("attention_{part}"), rows, attention);
        to.product(format!("target_{part}"), rows, gates);
    }
    to.bias("target_b", gates);
    Ok(())
}

fn fully_connected(read: Table<'_>, target: usize, to: &mut Shapes) -> Result<usize> {
    let mut width = target;
    for layer in 1..=read.count("fc-depth", 0)? {
        let outputs = read.0.count("dim-fc")?;
        to.dense("fc", &layer.to_string(), width, outputs);
        width = outputs;
    }
    Ok(width)
}

fn top(read: Table<'_>, below: usize, embedding: usize, to: &mut Shapes) -> Result<usize> {
    let width = read.count("dim-top", embedding)?;
    let kind = match read.word("top", "tanh")? {
        "none" => return Ok(below),
        "gru" => Cell::Gru,
        "lstm" => Cell::Lstm,
        _ => {
            to.dense("top", "", below, width);
            return Ok(width);
        }
    };
    for layer in 1..=read.count("top-depth", 1)? {
        cell(kind, &format!("top_l{layer}"), if layer == 1 { below } else { width }, width, to);
    }
    Ok(width)
}

/// The table with the family's own defaults; the engine refuses values that make no sense.
#[derive(Clone, Copy)]
struct Table<'a>(&'a MarianConfig);

impl<'a> Table<'a> {
    fn count(self, key: &str, otherwise: usize) -> Result<usize> {
        if self.0.has(key) { self.0.count(key) } else { Ok(otherwise) }
    }

    fn flag(self, key: &str, otherwise: bool) -> Result<bool> {
        if self.0.has(key) { self.0.flag(key) } else { Ok(otherwise) }
    }

    fn word(self, key: &str, otherwise: &'a str) -> Result<&'a str> {
        if self.0.has(key) { self.0.text(key) } else { Ok(otherwise) }
    }

    fn cell(self, key: &str) -> Result<Cell> {
        Ok(if self.word(key, "gru")? == "lstm" { Cell::Lstm } else { Cell::Gru })
    }
}
