//! The tensors of Marian's Transformers, with the decoders of our engines. The names are those of Marian's
//! `src/models/transformer.h`.

use super::shapes::{Shapes, only, word_tables};
use crate::{Fault, MarianConfig, Result};

/// Place of the norms.
#[derive(Clone, Copy, PartialEq)]
enum Norms {
    /// After sublayers, as in Marian's usual models.
    After,
    /// Before sublayers, and behind the last layer, as in M2M-100.
    Before,
}

impl Norms {
    fn of(config: &MarianConfig) -> Result<Self> {
        if config.text("transformer-preprocess")? != "n" {
            only(config, "transformer-preprocess", "")?;
            only(config, "transformer-postprocess", "dan")?;
            return Ok(Self::After);
        }
        only(config, "transformer-decoder-autoreg", "self-attention")?;
        only(config, "transformer-postprocess", "a")?;
        only(config, "transformer-postprocess-top", "n")?;
        Ok(Self::Before)
    }
}

/// Widths and depths of a layer.
struct Widths {
    /// Place of the norms.
    norms: Norms,
    /// Width of the model, D.
    model: usize,
    /// Width of the feed-forward sublayer, F.
    feed: usize,
    /// Number of layers in the feed-forward sublayer.
    feed_depth: usize,
}

pub(super) fn shapes(config: &MarianConfig, words: usize, to: &mut Shapes) -> Result<()> {
    let norms = Norms::of(config)?;
    only(config, "layer-normalization", "false")?;
    let widths = Widths {
        norms,
        model: config.count("dim-emb")?,
        feed: config.count("transformer-dim-ffn")?,
        feed_depth: config.count("transformer-ffn-depth")?,
    };
    word_tables(config, "decoder_ff_logit_out_Wt", words, widths.model, to)?;
    to.word_bias("decoder_ff_logit_out_b", words);
    for layer in 1..=config.count("enc-depth")? {
        let prefix = format!("encoder_l{layer}");
        attention(&format!("{prefix}_self"), &widths, to);
        feed_forward(&prefix, &widths, to);
    }
    for layer in 1..=config.count("dec-depth")? {
        let prefix = format!("decoder_l{layer}");
        autoregression(config, &prefix, &widths, to)?;
        attention(&format!("{prefix}_context"), &widths, to);
        feed_forward(&prefix, &widths, to);
    }
    if norms == Norms::Before {
        ["encoder_top", "decoder_top"].iter().for_each(|top| to.norm(top, widths.model));
    }
    Ok(())
}

fn attention(prefix: &str, widths: &Widths, to: &mut Shapes) {
    for part in ["q", "k", "v", "o"] {
        to.dense(prefix, part, widths.model, widths.model);
    }
    widths.norm(&format!("{prefix}_Wo"), to);
}

fn feed_forward(prefix: &str, widths: &Widths, to: &mut Shapes) {
    let prefix = format!("{prefix}_ffn");
    let mut inputs = widths.model;
    for layer in 1..=widths.feed_depth {
        let outputs = if layer == widths.feed_depth { widths.model } else { widths.feed };
        to.dense(&prefix, &layer.to_string(), inputs, outputs);
        inputs = outputs;
    }
    widths.norm(&format!("{prefix}_ffn"), to);
}

impl Widths {
    /// The norm of a sublayer.
    fn norm(&self, name: &str, to: &mut Shapes) {
        let suffix = if self.norms == Norms::Before { "_pre" } else { "" };
        to.norm_with(name, suffix, self.model);
    }
}

fn autoregression(config: &MarianConfig, prefix: &str, widths: &Widths, to: &mut Shapes) -> Result<()> {
    const KEY: &str = "transformer-decoder-autoreg";
    match config.text(KEY)? {
        "self-attention" => attention(&format!("{prefix}_self"), widths, to),
        "average-attention" => average(config, &format!("{prefix}_aan"), widths.model, to)?,
        "rnn" => {
            only(config, "dec-cell", "ssru")?;
            let prefix = format!("{prefix}_rnn");
            to.product(format!("{prefix}_W"), widths.model, widths.model);
            to.dense(&prefix, "f", widths.model, widths.model);
            to.norm(&format!("{prefix}_ffn"), widths.model);
        }
        other => {
            let what = format!("a decoder with `{other}`");
            let remedy = "there are self-attention, average-attention and rnn";
            return Err(config.fault(KEY, Fault::unsupported(what, remedy)));
        }
    }
    Ok(())
}

/// The last layer leads back to the model's width; it is absent where the width is the model's already.
fn average(config: &MarianConfig, prefix: &str, width: usize, to: &mut Shapes) -> Result<()> {
    let (inner, depth) = (config.count("transformer-dim-aan")?, config.count("transformer-aan-depth")?);
    let mut at = width;
    for layer in 1..depth {
        to.dense(prefix, &layer.to_string(), at, inner);
        at = inner;
    }
    if at != width {
        to.dense(prefix, &depth.to_string(), at, width);
    }
    if !config.flag("transformer-aan-nogate")? {
        to.dense(prefix, "i", width, width);
        to.dense(prefix, "f", width, width);
    }
    to.norm(&format!("{prefix}_ffn"), width);
    Ok(())
}
