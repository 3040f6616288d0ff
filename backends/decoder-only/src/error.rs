//! Errors of opening and running a language model. Each message is one line with the file and the fault.

use std::path::{Path, PathBuf};

/// Name of the backend.
pub(crate) const NAME: &str = "decoder-only";

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a language model can't be opened or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is faulty, or its network isn't supported.
    #[error(transparent)]
    Formats(#[from] dyno_formats::Error),
    /// The file's tokeniser is faulty, or isn't supported.
    #[error("{}: {source}", .path.display())]
    Text {
        /// Path of the file.
        path: PathBuf,
        /// Fault of the tokeniser.
        source: dyno_text::Error,
    },
    /// The kernels refuse an operand.
    #[error("{}: {source}", .path.display())]
    Kernels {
        /// Path of the file.
        path: PathBuf,
        /// Fault of the operand.
        source: dyno_kernels::Error,
    },
    /// The tuning can't be read or written, or the system refuses a thread.
    #[error(transparent)]
    Shared(#[from] dyno_nn::Error),
    /// The file's chat or the campaign's prompt can't be used.
    #[error("{}: {fault}", .path.display())]
    Prompt {
        /// Path of the file.
        path: PathBuf,
        /// Fault, with a remedy.
        fault: String,
    },
}

impl Error {
    pub(crate) fn prompt(path: &Path, fault: impl Into<String>) -> Self {
        Self::Prompt { path: path.into(), fault: fault.into() }
    }
}

/// A failure as an error of the contract.
pub(crate) fn failed(error: Error) -> dyno_api::Error {
    dyno_api::Error::failed(NAME, error)
}
