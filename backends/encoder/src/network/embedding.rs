//! Vectors of tokens: word, position and type, added up and normalised.

use std::borrow::Cow;
use std::sync::Arc;

use dyno_formats::Weights;
use dyno_nn::math::{Norm, Threads};
use dyno_nn::watch::Component;

use super::names::Names;
use super::params::Params;
use crate::Result;
use crate::config::Config;

/// Vectors of words, positions and types.
#[derive(Debug)]
pub(crate) struct Embedding {
    words: Words,
    /// Vectors of positions, to which the vector of the first token type is added.
    positions: Vec<f32>,
    norm: Norm,
    width: usize,
    /// Id of the padding, where positions are counted from it.
    padding: Option<u32>,
}

/// A token: its word, and its position in the line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    word: usize,
    position: usize,
}

/// Vectors of words [words, width].
#[derive(Debug)]
enum Words {
    /// The tensor of this name, as it lies in the mapped file. A line reads a few rows of it, and the whole
    /// table may be as large as all other weights.
    Mapped(Arc<Weights>, String),
    /// A converted copy.
    Copied(Vec<f32>),
}

impl Words {
    fn open(
        params: Params<'_>,
        weights: &Arc<Weights>,
        name: String,
        (words, width): (usize, usize),
    ) -> Result<Self> {
        Ok(match params.matrix(&name, words, width)? {
            Cow::Borrowed(_) => Self::Mapped(Arc::clone(weights), name),
            Cow::Owned(all) => Self::Copied(all),
        })
    }

    fn all(&self) -> Result<&[f32]> {
        match self {
            Self::Mapped(weights, name) => Ok(weights.get(name)?.f32()?),
            Self::Copied(all) => Ok(all),
        }
    }
}

impl Embedding {
    pub(super) fn new(
        params: Params<'_>,
        weights: &Arc<Weights>,
        names: &Names,
        config: &Config,
    ) -> Result<Self> {
        let width = config.width;
        let part = |name: &str| names.of(&format!("embeddings.{name}.weight"));
        let words = Words::open(params, weights, part("word_embeddings"), (config.words, width))?;
        let positions = params.matrix(&part("position_embeddings"), config.positions, width)?;
        let mut positions = positions.into_owned();
        if config.types > 0 {
            let types = params.matrix(&part("token_type_embeddings"), config.types, width)?;
            for position in positions.chunks_exact_mut(width) {
                position.iter_mut().zip(&types[..width]).for_each(|(sum, value)| *sum += value);
            }
        }
        let norm = params.norm(&names.of("embeddings.LayerNorm"), width, config.epsilon)?;
        let padding = config.family.counts_from_padding().then_some(config.padding);
        Ok(Self { words, positions, norm, width, padding })
    }

    /// Adds the places of a line's tokens to `places`.
    pub(super) fn place(&self, ids: &[u32], places: &mut Vec<Place>) {
        let mut counted = 0;
        places.extend(ids.iter().enumerate().map(|(at, id)| {
            let position = match self.padding {
                None => at,
                // Padding in the text has the padding's position, and isn't counted.
                Some(padding) if *id == padding => padding as usize,
                Some(padding) => {
                    counted += 1;
                    padding as usize + counted
                }
            };
            Place { word: *id as usize, position } // the tokeniser's ids were checked
        }));
    }

    /// Vectors of all words, for [`Embedding::fill`].
    pub(super) fn words(&self) -> Result<&[f32]> {
        self.words.all()
    }

    /// Replaces `x` [tokens, width] by the vectors of tokens.
    pub(super) fn fill(&self, words: &[f32], places: &[Place], x: &mut [f32], threads: &mut Threads) {
        let _embed = Component::Embed.span();
        let width = self.width;
        threads.each_rows(x, width, |first, x| {
            for (place, x) in places[first..].iter().zip(x.chunks_exact_mut(width)) {
                let word = &words[place.word * width..][..width];
                let position = &self.positions[place.position * width..][..width];
                x.iter_mut().zip(word.iter().zip(position)).for_each(|(x, (word, of))| *x = word + of);
            }
        });
        self.norm.apply(x, threads);
    }
}
