//! The vocabularies of a checkpoint: lists of words by their ids.

use std::sync::Arc;

use crate::error::Located;
use crate::naming::WordLists;
use crate::pickle::{Pickle, Place};
use crate::{Fault, Result};

/// Word that the decoder reads first, where the checkpoint names none.
const BEGIN: &str = "<s>";

/// Words of both sides.
pub(super) struct Words {
    pub(super) lists: WordLists,
    /// Id of the word that the decoder reads first.
    pub(super) start: u32,
}

impl Words {
    /// Reads the words of a checkpoint.
    pub(super) fn read(pickle: &Pickle<'_>) -> Result<Self, Fault> {
        let vocab = pickle
            .find(pickle.root(), "vocab")
            .ok_or("has no `vocab`: it is no checkpoint of OpenNMT-py 3")?;
        let side = |key: &str| {
            let place = pickle.find(vocab, key).ok_or_else(|| Fault::from("is missing").of(key))?;
            list(pickle, place).of(key)
        };
        if pickle.find(vocab, "src_feats").is_some() {
            return Err(
                Fault::unsupported("a vocabulary of features", "words alone are read").of("src_feats")
            );
        }
        let (source, target) = (side("src")?, side("tgt")?);
        let target = if source == target { Arc::clone(&source) } else { target };
        let begin = pickle.find(vocab, "decoder_start_token").and_then(|place| pickle.text(place));
        let begin = begin.unwrap_or(BEGIN);
        let start = target.iter().position(|word| word == begin);
        let start =
            start.ok_or_else(|| Fault::from("names no word of the target").of("decoder_start_token"))?;
        Ok(Self { lists: [source, target], start: start as u32 })
    }

    /// Checks that the network's tables have a row for each word.
    pub(super) fn fit(&self, rows: [usize; 2]) -> Result<(), Fault> {
        for ((side, list), rows) in ["src", "tgt"].iter().zip(&self.lists).zip(rows) {
            if list.len() != rows {
                return Err(Fault::from(format!("has {} words, but the network {rows}", list.len())).of(side));
            }
        }
        Ok(())
    }
}

/// A list of words. A model directory has a word in each line, which a word with a line's end would break.
fn list(pickle: &Pickle<'_>, place: Place) -> Result<Arc<[String]>, Fault> {
    let places = pickle.list(place).ok_or("is no list of words; save the checkpoint anew by OpenNMT-py 3")?;
    let word = |place: &Place| match pickle.text(*place) {
        Some(word) if !word.is_empty() && !word.contains('\n') && !word.ends_with('\r') => {
            Ok(word.to_owned())
        }
        _ => Err(Fault::from("has a word that is empty, or has a line's end, or is no text")),
    };
    places.iter().map(word).collect()
}
