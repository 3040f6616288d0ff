//! The engine `decoder-only`: language models that translate because a prompt asks for it, from GGUF files as
//! they are.
//!
//! It runs the networks of Llama, Qwen 2 and 3, Gemma 3 and SmolLM, in llama.cpp's own files. The prompt is
//! the template of the file's own chat, around the campaign's words and the line. The likeliest word
//! follows at each step. The answer is the first line of what the model says, or what stands between marks.
//!
//! # Weights and numbers
//! Quantised weights stay quantised in memory, in one form for all formats; products take activations as int8
//! values with a scale for each 32. Weights in 16 or 32 bits multiply as f32. A row's result doesn't depend
//! on the rows beside it, so that an answer is the same in any batch, for any number of threads, and on any
//! instruction set.
//!
//! # Work on a line
//! What stands before the line in the prompt is the same for all lines: its keys and values are computed
//! once, when the model opens. Lines of a call go through the network together, prompts in batches of rows,
//! then a row for each line and word. Lines may join while others are answered.
//!
//! # Modules
//! | module | contents |
//! | --- | --- |
//! | `backend`, `settings` | [`ENGINE`]: the backend, and what a system may set |
//! | `vocabulary` | the tokeniser of a file, and the words that end an answer |
//! | `prompt` | the parts of a prompt before and after the line |
//! | `template` | the file's chat template, rendered within bounds |
//! | `answer` | which part of what the model says is the answer, and where it ends |
//! | `network` | the layers, and the keys and values of lines |
//! | `model`, `shared`, `session` | an opened model, and the lines that a worker answers |
//! | `error` | [`Error`] |
//!
//! # What it leaves out
//! Sampling, beams, mixtures of experts, images, and rotations that stretch (YaRN): files that need them are
//! refused by the name of their key.

mod answer;
mod backend;
mod error;
mod model;
mod network;
mod prompt;
mod session;
mod settings;
mod shared;
mod template;
mod vocabulary;

pub use backend::{DecoderOnly, ENGINE};
pub use error::{Error, Result};
pub use network::{Network, Row, Worker};
pub use prompt::Prompt;
pub use vocabulary::Words;
