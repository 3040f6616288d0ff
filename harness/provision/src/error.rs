//! The error type of the crate.

/// What can't be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fault and, after the last "; ", the user's remedy.
    #[error("{0}")]
    Refused(String),
    /// A file or a program fails.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// [`Error::Refused`] with a formatted message.
macro_rules! refused {
    ($($message:tt)*) => { $crate::Error::Refused(format!($($message)*)) };
}
pub(crate) use refused;

impl Error {
    /// Whether the user's input is at fault, and not the host.
    pub fn is_bad_input(&self) -> bool {
        matches!(self, Self::Refused(_))
    }
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
