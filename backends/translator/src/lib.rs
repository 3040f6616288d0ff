//! Text to ids, search, and back to text, around a weighted slice of networks (one, or an ensemble).
//!
//! It owns everything between the bench's lines and an engine's tensors: opening models, settings, vocabularies,
//! shortlists, greedy and beam search, n-best lists, and what odd lines become. Scores are Marian's, to the letter:
//! `src/translator/beam_search.cpp` and `history.h`. An engine crate states an [`Engine`], and is a backend.
//!
//! Odd lines: one with no words gives an empty line; one longer than `max-length` is cut there, as Marian does with
//! `max-length-crop` (without it Marian drops the line, and an answer would be missing).
//!
//! Each sentence is searched as if it were alone: its limit and its candidates are its own. Lines of one call are
//! one batch, which changes speed and nothing else.

mod breakdown;
mod engine;
mod error;
mod model;
mod model_files;
mod search;
mod session;
mod settings;
mod shared;
mod unknown;

pub use engine::{Customs, Engine};
pub use error::{Error, Result};
pub use model::Words;
pub use settings::{Position, Switch, Switches, explain_tuning, read_multipliers};
