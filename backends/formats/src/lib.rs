//! Model files as checked views.
//!
//! What it owns: every byte of a model that isn't text processing. [`Weights`] is one view over safetensors,
//! Marian's npz and Marian's bin; [`Shortlist`] over Marian's text and binary form; [`MarianConfig`] over its
//! YAML; [`ModelDir`] puts them together into a model, and [`convert`] makes one of our own directories of it,
//! quantised as [`quantise`] says.
//!
//! Model files come from strangers. Each parser proves what a file claims (offsets, lengths, shapes, sums) before
//! anything relies on it, allocates no more than the file's size justifies, and answers a faulty file with one line that
//! names file, item and fault. Each has a `check` over plain bytes, which the tests drive with mutated files.
//!
//! ```no_run
//! use dyno_formats::{ModelDir, Precision};
//!
//! let model = ModelDir::open("models/ssru-en-de")?;
//! let heads = model.marian().map(|marian| marian.count("transformer-heads")).transpose()?;
//! let weights = model.load(Precision::Int8)?;
//! let forget = weights.get("decoder_l1_rnn_Wf")?.expect(256, 256)?;
//! println!("{heads:?} {:?} {:?}", forget.i8()?.len(), forget.scales());
//! # Ok::<(), dyno_formats::Error>(())
//! ```
//!
//! What it leaves out: vocabularies (`dyno-text`; a [`Vocabulary`] is passed in where words must become ids),
//! packing for kernels, and any knowledge of which tensors an engine needs.

pub mod bin;
mod bytes;
mod config;
mod convert;
mod decoder;
mod defaults;
mod digest;
mod error;
mod generate;
pub mod manifest;
mod model_dir;
mod narrow;
pub mod npz;
mod numbers;
mod precision;
pub mod quantise;
mod record;
pub mod safetensors;
pub mod shortlist;
mod support;
mod tensor;
mod weights;
pub mod yaml;
mod zip;

pub use config::MarianConfig;
pub use convert::{ConvertOptions, ConvertReport, convert};
pub use digest::FileIdentity;
pub use error::{Error, Fault, Result};
pub use generate::{Macs, Recipe, generate};
pub use manifest::MANIFEST;
pub use model_dir::{ModelDir, weights_name};
pub use narrow::ConvertedTensor;
pub use numbers::DType;
pub use precision::Precision;
pub use record::{Layout, Scales};
pub use shortlist::{Cut, Selection, Shortlist, Vocabularies, Vocabulary};
pub use tensor::Tensor;
pub use weights::{MULTIPLIER_SUFFIX, Weights};
