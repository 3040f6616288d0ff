//! Networks as the search sees them, the layers that several translators share, and what every engine needs.
//!
//! [`Network`] and [`Decoder`] are the interface between search and engines. Above it, `dyno-translator`
//! knows text, beams and scores; below it, an engine knows tensors. This crate owns the layers that more than
//! one engine needs: the output layer, word tables, norms, attention, the Transformer's stacks, and the parts
//! of recurrent layers. An engine crate has only the layers in which it differs. The sentence encoder,
//! which has no search, takes the stack of an encoder, [`Scratch`], [`math`], [`kernel_settings`] and [`watch`].
//!
//! # One order of arithmetic
//! All arithmetic over rows goes through [`math`], whose functions define the order in which sums are taken.
//! A row's result is the same in any batch and on any instruction set, so that a translation is reproducible.
//! The one exception is the setting `auto-precision`, which chooses the precision of products by timing.
//!
//! # From a file to a product
//! 1. [`Params`] reads tensors by Marian's names, checks their shapes, and carries the settings of products.
//! 2. `math::Matrix` holds the weights of a product as they lie in the file, and puts matrices side by side.
//! 3. `math::Linear` packs a matrix for the kernels. Packing chooses the way of computing; no layer knows
//!    which.
//! 4. An engine gives a [`Network`], which makes a [`Decoder`] for each worker.
//!
//! # Modules
//! | module | contents |
//! | --- | --- |
//! | `network` | [`Network`], [`Decoder`], and a step: [`Sentence`], [`Row`], [`Request`], [`Step`] |
//! | [`math`] | products, their forms and epilogues, calibration, auto-precision, plain loops over rows, threads |
//! | `scratch` | [`Scratch`]: what a session hands to its layers: its threads, and buffers |
//! | `params` | [`Params`]: tensors by name, with the settings of products |
//! | `word_table` | [`WordTable`]: vectors of words as embeddings and as output weights |
//! | [`output`] | the output layer: candidates, masks, best words and scores |
//! | [`transformer`] | the stacks of a Transformer around an exchangeable autoregressive sublayer |
//! | [`recurrent`] | gates of GRU and LSTM, and the walk through a batch |
//! | `rows` | [`Rows`]: one vector for each hypothesis, reordered by the search |
//! | `error` | [`Error`]: faults that every engine may meet |
//! | [`kernel_settings`] | the settings `isa`, `tuning`, `tune` and `threads`, which all engines share |
//! | [`watch`] | time by component and by operator, added up over a model's sessions |
//!
//! # What it leaves out
//! Files (`dyno-formats`), text (`dyno-text`), search and settings (`dyno-translator`).

mod error;
pub mod kernel_settings;
pub mod math;
mod network;
pub mod output;
mod params;
pub mod recurrent;
mod rows;
mod scratch;
pub mod transformer;
pub mod watch;
mod word_table;

pub use error::Error;
pub use network::{Counts, Decoder, Network, Ragged, Request, Row, Sentence, Sizes, Step, Wanted};
pub use params::{ActivationScales, Params, ProductWays, ShortlistColumns};
pub use rows::Rows;
pub use scratch::Scratch;
pub use word_table::{WordTable, WordTables, WordTensors};
