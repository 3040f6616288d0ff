//! Text to ids and back: SentencePiece models, exact, and Marian's word vocabularies.
//!
//! A model was trained on the ids that one program made; fed with others it translates worse, and nobody sees
//! why. So the ids here are those of the reference implementation, id for id, for any bytes: valid text,
//! unusual text and no text at all. The tests compare against ids that the reference made.
//!
//! A [`Vocabulary`] is read-only and shared; each worker brings a [`Scratch`], whose buffers grow to the
//! longest line and are then reused, so that no piece costs an allocation. Files come from outside: every
//! length in them is checked, and what they make us allocate is proportional to their size.
//!
//! Not here: training, sampling, n-best cuts, offsets into the line. No backend needs them.

mod bpe;
mod charsmap;
mod decode;
mod emit;
mod error;
mod model;
mod normalizer;
mod pieces;
mod sentencepiece;
mod simple;
mod trie;
mod unigram;
mod utf8;
mod vocabulary;
mod wire;
mod words;

pub use error::{Error, Result};
pub use sentencepiece::{Scratch, SentencePiece};
pub use vocabulary::{Format, Vocabulary};
pub use words::WordVocabulary;
