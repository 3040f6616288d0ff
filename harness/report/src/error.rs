//! The error type of the crate.

/// Failure to fill a page's template: a fault of dyno itself, since templates ship with dyno.
#[derive(Debug, thiserror::Error)]
#[error("{what} can't be made")]
pub struct Error {
    /// Name of the page.
    pub(crate) what: String,
    /// Fault of the template or of its data.
    pub(crate) source: tera::Error,
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
