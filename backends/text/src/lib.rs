//! From text to ids and back: SentencePiece models, exactly as the reference, and Marian's word vocabularies.
//!
//! # Exact ids
//! A translation model was trained on the ids of one tokeniser. With other ids it translates worse, and no
//! error shows it. So this crate gives the ids of the reference implementation, id for id, for any bytes:
//! usual text, unusual text, and bytes that are no text. The tests compare with ids from the reference.
//!
//! # Memory
//! A [`Vocabulary`] is read-only and shared. Each worker has a [`Scratch`], whose buffers grow to the longest
//! line and are then reused, so that no piece costs an allocation. Files are untrusted: every length in them
//! is checked, and the memory for a file is proportional to its size.
//!
//! # From a line to ids
//! 1. `normalizer` replaces characters by their normal forms (`charsmap`), and marks spaces.
//! 2. `unigram`, `bpe` or `simple` divides the text into `pieces`, by the type of the model.
//! 3. `emit` appends the ids; unknown characters become one unknown id, or their bytes.
//!
//! # Modules
//! | module | contents |
//! | --- | --- |
//! | `vocabulary` | [`Vocabulary`] of any kind, and [`Format`] by the suffix of a file |
//! | `sentencepiece`, `model`, `wire` | [`SentencePiece`]: a model, its file, and protobuf's wire format |
//! | `normalizer`, `charsmap`, `utf8` | normalisation of lines |
//! | `pieces`, `trie` | checked pieces, and lookup by prefix |
//! | `unigram`, `bpe`, `simple`, `emit` | division of text into pieces |
//! | `decode` | from ids to text |
//! | `mapped` | pieces whose ids another file gives: MarianMT, M2M-100, NLLB-200 |
//! | `tokenizer` | tokenisers of Hugging Face's crate |
//! | `encoders` | tokenisers of sentence encoders, with the feature of that name |
//! | `gguf` | tokenisers of GGUF files: byte-level BPE, and SentencePiece's BPE |
//! | `words` | Marian's word vocabularies |
//! | `error` | [`Error`] |
//!
//! # What it leaves out
//! Training, sampling, n-best divisions, and offsets into the line: no backend needs them.

mod bpe;
mod charsmap;
mod decode;
mod emit;
#[cfg(feature = "encoders")]
pub mod encoders;
mod error;
mod gguf;
mod mapped;
mod model;
mod normalizer;
mod piece_index;
mod pieces;
mod post_processor;
mod sentencepiece;
mod simple;
mod tokenizer;
mod trie;
mod unigram;
mod utf8;
mod vocabulary;
mod wire;
mod words;

pub use error::{Error, Result};
pub use gguf::{GgufPieces, GgufTokenizer};
pub use mapped::{MappedPieces, Side};
pub use sentencepiece::{Scratch, SentencePiece};
pub use tokenizer::WholeTokenizer;
pub use vocabulary::{Format, Vocabulary};
pub use words::WordVocabulary;
