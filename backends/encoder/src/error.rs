//! Errors of opening and running an encoder. Each message names the file and the fault, and a remedy.

use std::path::{Path, PathBuf};

use dyno_api::printable_line;

/// Name of the backend.
pub(crate) const NAME: &str = "encoder";

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why an encoder can't be opened or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The weights are faulty.
    #[error(transparent)]
    Formats(#[from] dyno_formats::Error),
    /// The tokeniser is faulty, or a file of the directory is no JSON.
    #[error(transparent)]
    Text(#[from] dyno_text::Error),
    /// The kernels refuse an operand.
    #[error(transparent)]
    Kernels(#[from] dyno_kernels::Error),
    /// The tuning can't be read or written, or the system refuses a thread.
    #[error(transparent)]
    Shared(#[from] dyno_nn::Error),
    /// A file of the directory is faulty, or asks for something that the engine lacks.
    #[error("{}: {fault}", .path.display())]
    Content {
        /// Path of the file.
        path: PathBuf,
        /// Fault, with a remedy.
        fault: String,
    },
}

impl Error {
    /// A fault of the file at `path`, in one line even where it quotes the file.
    pub(crate) fn content(path: &Path, fault: impl Into<String>) -> Self {
        Self::Content { path: path.into(), fault: printable_line(&fault.into()) }
    }
}

/// A failure as an error of the contract.
pub(crate) fn failed(error: Error) -> dyno_api::Error {
    dyno_api::Error::failed(NAME, error)
}
