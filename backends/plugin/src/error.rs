//! Errors of plugins: of loading, and of calls.

use std::path::PathBuf;

/// The reason why a file is no plugin for this dyno. Each message ends with a remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the fields are
pub enum Error {
    #[error("no plugin at {}: name the file of a shared library", .path.display())]
    Missing { path: PathBuf },
    #[error(
        "{} is no shared library that can be loaded here ({reason}); build it for this machine, with -shared -fPIC or \
         crate-type cdylib",
        .path.display()
    )]
    NotALibrary { path: PathBuf, reason: String },
    #[error(
        "{} is no plugin: it doesn't export dyno_backend_entry; write it as dyno_backend.h says, or use \
         dyno_plugin::export!",
        .path.display()
    )]
    NoEntry { path: PathBuf },
    #[error("{} refuses version {host} of the interface; build it with this dyno's dyno_backend.h", .path.display())]
    Refuses { path: PathBuf, host: u32 },
    #[error(
        "{} was built for version {found} of the interface, and this dyno has {host}; build it again with this \
         dyno's dyno_backend.h",
        .path.display()
    )]
    Version { path: PathBuf, found: u32, host: u32 },
    #[error(
        "{} has a table of {found} bytes where version {version} has {host}; build it again with this dyno's \
         dyno_backend.h",
        .path.display()
    )]
    Size { path: PathBuf, found: u32, host: u32, version: u32 },
    #[error("{} leaves out the function `{function}`; only `breakdown` may be missing", .path.display())]
    MissingFunction { path: PathBuf, function: &'static str },
    #[error("{} can't describe itself: {fault}", .path.display())]
    Description { path: PathBuf, fault: Fault },
}

/// A plugin's fault in a call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // as above
pub enum Fault {
    #[error("{0}")]
    Said(String),
    #[error("`{0}` failed without a reason; its author should set one for last_error")]
    Silent(&'static str),
    #[error("`{0}` reported success but gave nothing; its author should return DYNO_FAILED")]
    Nothing(&'static str),
    #[error("`{0}` gave JSON that can't be used: {1}; dyno_backend.h shows what it must be")]
    Json(&'static str, serde_json::Error),
    #[error("`{0}` gave text that isn't UTF-8, or points nowhere")]
    Text(&'static str),
    #[error(
        "it gave an answer of {found} bytes where this dyno has {host}; build it with this dyno's dyno_backend.h"
    )]
    AnswerSize { found: u32, host: u32 },
    #[error("it gave no address of an answer")]
    NoAnswer,
    #[error("it answered line {line} of a call with {lines}; lines count from 0")]
    NoSuchLine { line: u64, lines: usize },
    #[error("it answered line {line} of {lines} twice; each line has one answer of rank 0")]
    Twice { line: u64, lines: usize },
    #[error("it left line {line} of {lines} unanswered; each line has one answer of rank 0")]
    Unanswered { line: usize, lines: usize },
}
