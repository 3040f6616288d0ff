//! The error type of the crate. Each variant is a fault of dyno itself, since templates ship
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
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
