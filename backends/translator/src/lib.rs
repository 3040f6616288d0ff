//! From text to ids, through the search, and back to text, around one network or a weighted ensemble.
//!
//! The crate owns everything between the lines of the bench and the tensors of an engine. That is the opening
//! of models, settings, vocabularies, shortlists, search, n-best lists, and the treatment of odd lines. An
//! engine crate states an [`Engine`], which is a backend. Scores follow `src/translator/beam_search.cpp` and
//! `history.h` of Marian exactly.
//!
//! # From a path to an answer
//! 1. [`Engine`] takes the settings of a campaign (`settings`), and refuses what it doesn't know.
//! 2. `model_files` opens the weights, configuration and vocabularies at a path; the engine makes its network
//!    of them.
//! 3. `model` puts the parts together, checks that they fit, and states the facts about them.
//! 4. Each worker gets a session (`session`). It tokenises lines, gathers the candidates of the shortlist,
//!    searches (`search`), and writes the text of the translations.
//!
//! # Odd lines
//! A line without words has an empty translation. A line longer than `max-length` is cut there, as Marian
//! does with `max-length-crop`; without that option Marian drops the line, and an answer would be missing. The
//! facts count the lines that were cut. The setting `split-lines` translates long lines sentence by sentence.
//!
//! # Batches
//! Each sentence is searched as if it were alone, with its own greatest length and its own candidates. Lines
//! join the running batch between any two steps, and leave it as soon as they end, which changes the speed
//! and nothing else. A batch in the ordinary sense joins as a whole, and steps until the last line ends.
//!
//! # Modules
//! | module | contents |
//! | --- | --- |
//! | `engine` | [`Engine`]: the shape of all translating engines |
//! | `settings` | requested settings, defaults, refusals, switches, calibration files |
//! | `model_files` | opening of weights, configuration and vocabularies |
//! | `model`, `shared` | an opened model, and the state that its workers share |
//! | `session` | a worker's session |
//! | `long_lines`, `sentences` | a session that translates long lines part by part, and the parts |
//! | `search` | greedy search, beam search, paths |
//! | `languages` | words for the languages of source and target |
//! | `unknown` | replacement of unknown words |
//! | `error` | [`Error`] |
//!
//! # What it leaves out
//! Tensors, layers and tuning (`dyno-nn` and the engines), file formats (`dyno-formats`), vocabularies
//! (`dyno-text`), and threads. Sentence encoders are no translators: `dyno-encoder` has a session of its own.

mod engine;
mod error;
mod languages;
mod long_lines;
mod model;
mod model_files;
mod search;
mod sentences;
mod session;
mod settings;
mod shared;
mod unknown;

pub use engine::{Customs, Engine};
pub use error::{Error, Result};
pub use model::{Words, vocabulary};
pub use settings::{Position, Switch, Switches, read_multipliers};
