//! The error type of the crate. Each variant is a fault of dyno itself, since the papers' data ship with dyno.

/// The papers' data are wrong.
#[derive(Debug, thiserror::Error)]
#[error("the papers' tables: {0}")]
pub struct Error(pub String);

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
