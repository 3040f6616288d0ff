//! The error type of the crate. Each variant is a fault of dyno itself, since templates and papers' data ship
//! with dyno.

/// Failure to make a page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A template can't be filled.
    #[error("{what} can't be made")]
    Page {
        /// Name of the page.
        what: String,
        /// Fault of the template or of its data.
        source: tera::Error,
    },
    /// The papers' data are wrong.
    #[error("the papers' tables: {0}")]
    Papers(String),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
