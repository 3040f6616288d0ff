//! The contract between dyno and the backends that it measures.
//!
//! A *backend* opens one model (or several, as an ensemble) under settings and gives a shared [`Model`]. Each
//! worker asks the model for a [`Session`] of its own, hands it lines, and receives answers through a
//! [`Sink`]. That is all the bench knows of any engine; text, search and kernels are the engine's business.
//!
//! Why sessions push into a sink instead of returning strings: an engine that finishes a short line early can
//! hand it over early, n-best lists need no second shape (they are ranks above 0), and nothing has to be
//! allocated that the caller does not want to keep.
//!
//! Why lines are bytes and answers are text: input comes from the outside as it is, and an engine that claims
//! to translate exactly like its original must see invalid UTF-8 as the original does; what leaves the bench
//! is always valid UTF-8.
//!
//! This crate knows no engine and no harness. Threads, batching by length and order of output belong to the
//! harness; a session may treat the lines of one call as one batch.

mod breakdown;
mod error;
mod settings;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use breakdown::{Breakdown, WATCH};
pub use error::{Error, Result, closest};
pub use settings::{SettingsReader, parse_setting};

/// Settings of a system by name, in the order in which they were written. A backend reads them through a
/// [`SettingsReader`], which refuses by name whatever was not read.
pub type Settings = serde_json::Map<String, serde_json::Value>;

/// What a backend does with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// A line of text in, its translation out.
    Translate,
    /// A line of text in, a vector out: base64 of little-endian f32.
    Encode,
}

/// Anything that can translate (or encode): what the harness's registry lists.
pub trait Backend: Send + Sync {
    /// The name used in campaigns, in kebab-case.
    fn name(&self) -> &str;

    /// One line for `dyno list`.
    fn about(&self) -> &str;

    /// What it does with a line.
    fn task(&self) -> Task {
        Task::Translate
    }

    /// Whether `model` is of this backend's family, by its configuration: how a backend is chosen where nobody
    /// names one. A model that can't be read suits nobody.
    fn suits(&self, model: &Path) -> bool {
        let _ = model;
        false
    }

    /// Whether it takes the setting [`WATCH`] and then tells where its time went.
    fn watches(&self) -> bool {
        false
    }

    /// Opens `models` (several = an ensemble; none for backends that need none) under `settings`.
    ///
    /// # Errors
    /// A setting that the backend can't honour is refused by name, never ignored; a model that can't be read
    /// is named with the fault.
    fn open(&self, models: &[PathBuf], settings: &Settings) -> Result<Arc<dyn Model>>;
}

/// An opened model: read-only, shared by all workers.
pub trait Model: Send + Sync {
    /// What the backend says of itself; recorded, but trusted neither for time nor for memory.
    fn facts(&self) -> Facts;

    /// A new session for one worker.
    ///
    /// # Errors
    /// When the session's working memory can't be had.
    fn session(&self) -> Result<Box<dyn Session>>;

    /// Bytes that each step of its work on a line reads for each word of the line, if it knows: by this a host decides how many
    /// words are worked on together where nobody says it.
    fn attended_bytes(&self) -> Option<usize> {
        None
    }

    /// Bytes of weights that each step reads once for all lines that are worked on together, if it knows: as above.
    fn stepped_bytes(&self) -> Option<usize> {
        None
    }

    /// Where the time went that all its sessions spent in [`Session::run`]; `None` where nobody watched.
    ///
    /// # Errors
    /// When it can't be told.
    fn breakdown(&self) -> Result<Option<Breakdown>> {
        Ok(None)
    }
}

/// One worker's state: buffers that grow to their working size once and are then reused.
pub trait Session: Send {
    /// Answers each of `lines` (no line ends inside) with at least one call of `sink` of rank 0; the order of
    /// the calls is free.
    ///
    /// # Errors
    /// When a line can't be answered at all. Odd input (empty, over-long, invalid UTF-8) is no error: exactly
    /// one answer must come back, whatever it says.
    fn run(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> Result<()>;
}

/// One answer to one line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer<'a> {
    /// Index into the lines of the call.
    pub line: usize,
    /// 0 for the best; n-best lists go on counting.
    pub rank: usize,
    /// The text, without a line end.
    pub text: &'a str,
    /// The score by which the answer was ranked; `None` where the search computes none.
    pub score: Option<f32>,
}

/// Where answers go.
pub trait Sink {
    /// Takes one answer; the text is borrowed for the call only.
    fn answer(&mut self, answer: Answer<'_>);
}

impl<F: FnMut(Answer<'_>)> Sink for F {
    fn answer(&mut self, answer: Answer<'_>) {
        self(answer);
    }
}

/// What a model says of itself: leaves the process as JSON at its end.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Facts {
    /// The backend's name.
    pub backend: String,
    /// Its version.
    pub version: String,
    /// Instruction set that its kernels run on, named as in the CPU flags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isa: Option<String>,
    /// Number type of the weights at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<String>,
    /// Number of parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<u64>,
    /// Why the same lines may be answered differently the next time, if they may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_reproducible: Option<String>,
    /// Files that were opened: their bytes are the model size.
    #[serde(default)]
    pub files: Vec<OpenedFile>,
}

/// A file that a model consists of.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct OpenedFile {
    /// Its path as opened.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
}
