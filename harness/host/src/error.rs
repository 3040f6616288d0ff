//! Errors of hosting.

use std::io;

/// Result of hosting.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a backend stops translating its input.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The model opens no session.
    #[error("can't open a session")]
    Session(#[source] dyno_api::Error),
    /// The backend fails at a line.
    #[error("can't translate line {number}")]
    Line {
        /// Number of the line, from 1.
        number: usize,
        /// The backend's own reason.
        source: dyno_api::Error,
    },
    /// The backend fails at one of several lines.
    #[error("can't translate lines")]
    Lines(#[source] dyno_api::Error),
    /// Input or output fails.
    #[error("can't pass lines on")]
    Pipe(#[from] io::Error),
}
