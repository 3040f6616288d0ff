//! The contract between dyno and the backends that it measures.
//!
//! A *backend* opens one model (or several models, as an ensemble) under settings, and gives a shared
//! [`Model`]. Each worker asks the model for its own [`Session`], gives the session lines, and receives
//! answers through a [`Sink`]. The bench knows nothing more about an engine: text, search and kernels belong
//! to the engine.
//!
//! # Modules
//! | module | contents |
//! | --- | --- |
//! | this file | [`Backend`], [`Model`], [`Session`], [`Sink`]; [`Answer`], [`Facts`] |
//! | `settings` | [`SettingsReader`], which refuses unknown settings; the syntax `name=value` |
//! | `prompt` | [`Prompt`]: the message to a language model, with the line's place |
//! | `breakdown` | [`Breakdown`]: time by component and by operator, checked when it is read |
//! | `isa` | [`Isa`]: the instruction sets, their one spelling, and their detection |
//! | `files` | regular files, opened without waiting: for all readers of files |
//! | `printable` | foreign text, made harmless for terminals and pages |
//! | `look_alikes` | names that people take for each other |
//! | `error` | [`Error`], and [`closest`] for the hint "did you mean" |
//!
//! # Design
//! - A session gives answers to a sink instead of returning strings. So an engine may answer a short line
//!   early, n-best lists need no second interface (their ranks are above 0), and no text is allocated that
//!   the caller discards.
//! - Lines are bytes, because input arrives unchecked, and an engine that claims to equal its original must
//!   see invalid UTF-8 as the original does. Answers are text, because the output of the bench is always
//!   valid UTF-8.
//! - A backend refuses a setting that it can't honour. An ignored setting would make a measurement lie.
//!
//! # What it leaves out
//! This crate depends on no engine and on no part of the bench. Threads, batches by length, and the order of
//! the output belong to the harness; a session may treat the lines of one call as one batch.

mod breakdown;
mod error;
pub mod files;
mod isa;
mod look_alikes;
mod printable;
mod prompt;
mod settings;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use breakdown::{Breakdown, WATCH};
pub use error::{Error, Result, closest, only_model};
pub use isa::{Isa, UnknownIsa};
pub use look_alikes::look_alikes;
pub use printable::{printable, printable_json, printable_line};
pub use prompt::{LINE, Prompt, PromptFault};
pub use settings::{Settings, SettingsReader, parse_setting};

/// Setting: number of threads that work on one line together.
pub const THREADS: &str = "threads";

/// Names of [counts](Facts::counts) that language models give, and that a run's summary shows.
pub mod counts {
    /// Tokens of prompts, without those that are the same for all lines.
    pub const TOKENS_READ: &str = "tokens read";
    /// Tokens of answers.
    pub const TOKENS_WRITTEN: &str = "tokens written";
    /// Time of all workers that read prompts.
    pub const READING_NS: &str = "nanoseconds reading";
    /// Time of all workers that write answers.
    pub const WRITING_NS: &str = "nanoseconds writing";
    /// Lines whose answers have a first token.
    pub const FIRST_TOKENS: &str = "first tokens";
    /// Time from the arrival of each of these lines to its first token.
    pub const FIRST_TOKENS_NS: &str = "nanoseconds to first tokens";
    /// Bytes of weights in memory.
    pub const WEIGHT_BYTES: &str = "bytes of weights";
    /// Greatest number of bytes of keys and values so far.
    pub const KEPT_BYTES: &str = "bytes of keys and values";
}

/// Task of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Translation: a line of text in, its translation out.
    Translate,
    /// Encoding: a line of text in, a vector out, as base64 of little-endian f32.
    Encode,
}

/// An engine that translates or encodes; the harness's registry lists backends.
pub trait Backend: Send + Sync {
    /// Name in campaigns, in kebab-case.
    fn name(&self) -> &str;

    /// Description in one line, for `dyno list`.
    fn about(&self) -> &str;

    /// Task of the backend.
    fn task(&self) -> Task {
        Task::Translate
    }

    /// Whether the configuration of `model` is of this backend's family. The harness chooses a backend by it
    /// where the campaign names none. A model that can't be read suits no backend.
    fn suits(&self, model: &Path) -> bool {
        let _ = model;
        false
    }

    /// Whether the backend takes the setting [`WATCH`] and then gives a [`Breakdown`].
    fn watches(&self) -> bool {
        false
    }

    /// Whether the backend takes the setting [`THREADS`], by which several threads work on one line.
    fn shares_lines(&self) -> bool {
        false
    }

    /// Whether the backend takes the setting `prompt`: the message to a language model.
    fn takes_prompts(&self) -> bool {
        false
    }

    /// Opens `models` under `settings`: several models are an ensemble; some backends need no model.
    ///
    /// # Errors
    /// A setting that the backend can't honour, and a model that can't be read; the message names the setting
    /// or the file, and the fault.
    fn open(&self, models: &[PathBuf], settings: &Settings) -> Result<Arc<dyn Model>>;
}

/// An opened model, read-only and shared by all workers.
pub trait Model: Send + Sync {
    /// Facts that the backend states about itself. The harness records them; it measures time and memory on
    /// its own.
    fn facts(&self) -> Facts;

    /// A new session for one worker.
    ///
    /// # Errors
    /// When the session's buffers can't be allocated.
    fn session(&self) -> Result<Box<dyn Session>>;

    /// Bytes that each step of a translation reads for each word of the line; `None` where the model doesn't
    /// know. The harness sizes batches by it where the campaign sets no size.
    fn attended_bytes(&self) -> Option<usize> {
        None
    }

    /// Bytes of weights that each step reads once for a whole batch; `None` where the model doesn't know.
    /// Used as [`attended_bytes`](Self::attended_bytes).
    fn stepped_bytes(&self) -> Option<usize> {
        None
    }

    /// Time that all sessions of the model spent in [`Session::run`], by part; `None` without the setting
    /// [`WATCH`].
    ///
    /// # Errors
    /// When the backend fails to give it.
    fn breakdown(&self) -> Result<Option<Breakdown>> {
        Ok(None)
    }
}

/// State of one worker: buffers that grow to their working size once and are then reused.
pub trait Session: Send {
    /// Answers each of `lines`, which contain no line ends: at least one call of `sink` a line, with rank 0.
    /// The calls may come in any order.
    ///
    /// # Errors
    /// When the backend fails. An odd line (empty, over-long, invalid UTF-8) is no error: the session answers
    /// it, with any text.
    fn run(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> Result<()>;

    /// Lets `lines` join those that the session answers already; their numbers are `first` and the following
    /// ones. Calls of [`step`](Self::step) answer them. All answers to a line come within one call. A session
    /// without steps answers the lines at once, as one batch.
    ///
    /// # Errors
    /// As [`run`](Self::run). After an error, all lines that have no answer are dropped.
    fn admit(&mut self, first: usize, lines: &[&[u8]], sink: &mut dyn Sink) -> Result<()> {
        self.run(lines, &mut |answer: Answer<'_>| {
            sink.answer(Answer { line: first + answer.line, ..answer });
        })
    }

    /// Takes one step of the lines that were admitted, and answers those that end with it.
    ///
    /// # Errors
    /// As [`admit`](Self::admit).
    fn step(&mut self, sink: &mut dyn Sink) -> Result<()> {
        let _ = sink;
        Ok(())
    }
}

/// One answer to one line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer<'a> {
    /// Index into the lines of [`Session::run`], or the number of a line of [`Session::admit`].
    pub line: usize,
    /// Rank in an n-best list; the best answer has 0.
    pub rank: usize,
    /// Text, without a line end.
    pub text: &'a str,
    /// Score by which the search ranked the answer; `None` where the search computes none.
    pub score: Option<f32>,
}

/// Receiver of answers.
pub trait Sink {
    /// Takes one answer, whose text is borrowed for the call only.
    fn answer(&mut self, answer: Answer<'_>);
}

impl<F: FnMut(Answer<'_>)> Sink for F {
    fn answer(&mut self, answer: Answer<'_>) {
        self(answer);
    }
}

/// Facts about an opened model. They leave the process as JSON.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Facts {
    /// Name of the backend.
    pub backend: String,
    /// Version of the backend.
    pub version: String,
    /// Name of the instruction set that the kernels use: see [`Isa::name`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isa: Option<String>,
    /// Number type of the weights that the products read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<String>,
    /// Number of parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<u64>,
    /// Reason why the same lines may get other answers in the next run; `None` where they can't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_reproducible: Option<String>,
    /// Number of lines so far that were longer than the model takes, and were cut; `None` where none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_lines: Option<u64>,
    /// Counts of the work so far, by name; a backend without counts has none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, u64>,
    /// Files of the model; the sum of their sizes is the model size.
    #[serde(default)]
    pub files: Vec<OpenedFile>,
}

/// A file of a model.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct OpenedFile {
    /// Path as opened.
    pub path: PathBuf,
    /// Size in bytes.
    pub bytes: u64,
}

impl OpenedFile {
    /// The files at `paths`, each once, in order. A file that is gone counts no bytes.
    pub fn all(mut paths: Vec<PathBuf>) -> Vec<Self> {
        paths.sort();
        paths.dedup();
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        paths.into_iter().map(|path| Self { bytes: size(&path), path }).collect()
    }
}
