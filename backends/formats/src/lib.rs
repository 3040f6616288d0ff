//! Model files as checked views.
//!
//! The crate owns every byte of a model that isn't text processing: weights, shortlists, configurations,
//! model directories, conversion and quantisation, and drawn models.
//!
//! # Files are untrusted
//! Each parser proves what a file claims (offsets, lengths, shapes, sums) before other code relies on it. It
//! allocates no more memory than the file's size justifies. It answers a faulty file with one line that names
//! file, item and fault. Each parser has a `check` over plain bytes, which the tests call with mutated files.
//!
//! # Example
//! ```no_run
//! use dyno_formats::{ModelDir, Precision};
//!
//! let model = ModelDir::open("models/ssru-en-de")?;
//! let [source, target] = model.spec()?.words;
//! let weights = model.load(Precision::Int8)?;
//! let forget = weights.get("decoder_l1_rnn_Wf")?.expect(256, 256)?;
//! println!("{source} {target} {:?} {:?}", forget.i8()?.len(), forget.scales());
//! # Ok::<(), dyno_formats::Error>(())
//! ```
//!
//! # Modules
//! | module | contents |
//! | --- | --- |
//! | `weights`, `tensor`, `record`, `numbers` | [`Weights`]: one view of weights in any format |
//! | [`safetensors`], [`npz`] (with `zip`), [`bin`], `model_bin` | parsers of the formats of weights |
//! | `gguf` | [`Gguf`]: files of llama.cpp, metadata and block-quantised tensors |
//! | [`spec`] | [`ModelSpec`]: what a network is, in words of no format |
//! | `torch`, with [`pickle`] | checkpoints of PyTorch, as plain values |
//! | `marian` (with [`yaml`]), `fully_connected`, `table` | readers of descriptions: Marian's configurations, dyno's own tables |
//! | `model_dir`, [`manifest`], `decoder`, `foreign` | [`ModelDir`]: a model in any of its forms |
//! | [`shortlist`] | [`Shortlist`]: candidates of source words and n-grams |
//! | [`hugging_face`], [`ctranslate2`], [`opennmt`], with `naming` | translators of other projects as models of dyno |
//! | `precision`, [`quantise`], `narrow` | precisions, and tensors at a narrower precision |
//! | `convert`, `generate` | writing of model directories: from a model, and from a recipe |
//! | `bytes`, `digest`, `error` | mapped files, hashes, errors |
//!
//! # What it leaves out
//! Vocabularies (`dyno-text`; the caller passes a [`Vocabulary`] where words become ids), packing for
//! kernels, and the knowledge of which tensors an engine needs.

pub mod bin;
mod bytes;
mod convert;
pub mod ctranslate2;
mod decoder;
mod digest;
mod encoder_layers;
mod error;
mod foreign;
mod fully_connected;
mod generate;
mod gguf;
pub mod hugging_face;
pub mod manifest;
mod marian;
mod model_bin;
mod model_dir;
mod naming;
mod narrow;
pub mod npz;
mod numbers;
pub mod opennmt;
pub mod pickle;
mod precision;
pub mod quantise;
mod record;
pub mod safetensors;
pub mod shortlist;
pub mod spec;
mod stored;
mod table;
mod tensor;
mod torch;
mod weights;
pub mod yaml;
mod zip;

pub use convert::{ConvertOptions, ConvertReport, convert};
pub use digest::FileIdentity;
pub use encoder_layers::LayerLayout;
pub use error::{Error, Fault, Result};
pub use generate::{Macs, Recipe, generate, lines_of_tokens};
pub use gguf::{Array as GgufArray, BlockFormat, Gguf, GgufTensor, Quanta, QuantaForm, Value as GgufValue};
pub use manifest::MANIFEST;
pub use marian::MarianConfig;
pub use model_dir::{ModelDir, weights_name};
pub use narrow::ConvertedTensor;
pub use numbers::DType;
pub use precision::Precision;
pub use record::{ElementOrder, Scales};
pub use shortlist::{Cut, Selection, Shortlist, Vocabularies, Vocabulary};
pub use spec::{Family, ModelSpec};
pub use stored::TensorBytes;
pub use tensor::Tensor;
pub use weights::{MULTIPLIER_SUFFIX, Weights};
