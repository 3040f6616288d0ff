//! The engine `encoder`: sentence encoders of BERT's kind, from Hugging Face directories as they are.
//!
//! A line becomes tokens, a vector for each token, and by pooling one vector. The answer to a line is that
//! vector, as base64 of little-endian f32. The engine opens BERT, MiniLM, RoBERTa, XLM-R, CamemBERT and
//! DistilBERT, also with norms before the sublayers. It reads the modules of sentence-transformers where a
//! directory has them. The paper behind it is Dice & Kogan 2021, "Optimizing Inference Performance of
//! Transformers on CPUs".
//!
//! # Batches and threads
//! The tokens of all lines of a call are rows of one matrix, without padding: products and norms treat each
//! row by itself, and attention each line. So a line's vector doesn't depend on the lines beside it. With the
//! setting `threads` the work on one call is divided among threads: by heads of attention with the products
//! before it, by rows between two attentions, and where rows are few, by columns of products. No division
//! changes a sum, so that the vectors are the same for any number of threads.
//!
//! # Modules
//! | module | contents |
//! | --- | --- |
//! | `backend`, `settings` | [`ENGINE`]: the backend, and what a system may set |
//! | `directory` | the files of a directory, its tokeniser among them |
//! | `config` | shape of a network, from config.json |
//! | `modules` | pooling and what follows it, from the files of sentence-transformers |
//! | `network` | tensors by their names, and the layers |
//! | `model`, `session` | an opened model, and its workers' state and work on a batch of lines |
//! | `error` | [`Error`] |

mod backend;
mod config;
mod directory;
mod error;
mod model;
mod modules;
mod network;
mod session;
mod settings;

pub use backend::{ENGINE, Encoder};
pub use directory::{Directory, is_encoder};
pub use error::{Error, Result};
