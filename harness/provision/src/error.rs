//! The error type of the crate. Each error names the fault and, after the last "; ", the remedy.

use std::io;
use std::path::PathBuf;

/// What can't be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The environment names no folder for caches.
    #[error("neither XDG_CACHE_HOME nor HOME is set")]
    NoCache,
    /// A Python environment can't be built: fault and remedy.
    #[error("{0}")]
    Environment(String),
    /// An adapter has no environment.
    #[error("adapter {adapter} has no environment: {reason}")]
    Unbuilt {
        /// Name of the adapter.
        adapter: String,
        /// Reason.
        reason: Box<Error>,
    },
    /// The description of an adapter can't be read.
    #[error("{}: {fault}", path.display())]
    Description {
        /// The file.
        path: PathBuf,
        /// Fault.
        fault: String,
    },
    /// There is no adapter of that name, or it can't run with that: fault and remedy.
    #[error("{0}")]
    Adapter(String),
    /// A model can't be converted for an adapter.
    #[error("adapter {adapter}: can't convert {}: {said}", model.display())]
    Conversion {
        /// Name of the adapter.
        adapter: String,
        /// The model.
        model: PathBuf,
        /// Last line of the converter.
        said: String,
    },
    /// An image can't be unpacked: fault and remedy.
    #[error("{0}")]
    Image(String),
    /// A file or a program fails.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Error {
    /// Whether the user's input is at fault, and not the host.
    pub fn is_bad_input(&self) -> bool {
        !matches!(self, Self::Io(_))
    }
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
