//! The tensors of a network, by the family of its configuration.

use super::shapes::{Shape, Shapes};
use super::{encoder, opennmt, rnn_fc, s2s, transformer};
use crate::{Fault, MarianConfig, Result};

/// Name of the table of Marian's models.
pub(super) const MARIAN: &str = "marian";

/// Name of the table of `rnn-fc`.
pub(super) const RNN_FC: &str = "rnn-fc";

/// Name of the table of OpenNMT's recurrent network.
pub(super) const OPENNMT: &str = crate::opennmt::TABLE;

/// Name of the table of sentence encoders.
pub(super) const ENCODER: &str = "encoder";

/// All tensors of the network that `config` describes; `table` is the name of its table.
pub(super) fn shapes_of(table: &str, config: &MarianConfig, words: usize) -> Result<Vec<Shape>> {
    let mut shapes = Shapes::default();
    match (table, config.text("type")) {
        (ENCODER, _) => encoder::shapes(config, words, &mut shapes)?,
        (RNN_FC, _) => rnn_fc::shapes(config, words, &mut shapes)?,
        (OPENNMT, _) => opennmt::shapes(config, words, &mut shapes)?,
        (_, Ok("transformer")) => transformer::shapes(config, words, &mut shapes)?,
        (_, Ok("s2s")) => s2s::shapes(config, words, &mut shapes)?,
        (_, other) => {
            let what = format!("generating a model of type `{}`", other?);
            return Err(config.fault("type", Fault::unsupported(what, "there are transformer and s2s")));
        }
    }
    Ok(shapes.0)
}
