//! Errors of model files, in two layers, because parsers see bytes and no paths. A [`Fault`] names the item
//! and its fault; an [`Error`] adds the file. Every message is one line: names from files are escaped and
//! clipped.

use std::path::{Path, PathBuf};

use dyno_api::files::full_disk_remedy;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A fault with the file that has it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system can't read the file.
    #[error("{}: can't be read: {reason}", .path.display())]
    Read {
        /// File or directory.
        path: PathBuf,
        /// Reason of the operating system.
        reason: std::io::Error,
    },
    /// The operating system can't write the file.
    #[error("{}: can't be written: {reason}{}", .path.display(), remedy_of(reason))]
    Write {
        /// File or directory.
        path: PathBuf,
        /// Reason of the operating system.
        reason: std::io::Error,
    },
    /// The content of the file is faulty.
    #[error("{}: {fault}", .path.display())]
    Content {
        /// File with the fault.
        path: PathBuf,
        /// Fault of the content.
        fault: Fault,
    },
    /// The target of a conversion exists already.
    #[error("{}: is there already; {remedy}", .path.display())]
    Exists {
        /// Path of the target.
        path: PathBuf,
        /// Remedy.
        remedy: &'static str,
    },
}

/// Remedy for a file that the disk doesn't take, after a semicolon.
fn remedy_of(reason: &std::io::Error) -> String {
    full_disk_remedy(reason).map_or_else(String::new, |remedy| format!("; {remedy}"))
}

impl Error {
    pub(crate) fn read(path: &Path, reason: std::io::Error) -> Self {
        Self::Read { path: path.into(), reason }
    }

    pub(crate) fn write(path: &Path, reason: std::io::Error) -> Self {
        Self::Write { path: path.into(), reason }
    }

    pub(crate) fn content(path: &Path, fault: impl Into<Fault>) -> Self {
        Self::Content { path: path.into(), fault: fault.into() }
    }
}

/// Fault in the content of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file ends early.
    #[error("cut short: {what} at byte {at} takes {need} bytes, but {left} are left")]
    Short {
        /// Name of the part that is cut off.
        what: &'static str,
        /// Start of the part in bytes.
        at: u64,
        /// Length of the part in bytes.
        need: u64,
        /// Bytes that are left in the file.
        left: u64,
    },
    /// The content contradicts itself or the format.
    #[error("{0}")]
    Invalid(String),
    /// The content is valid, but dyno doesn't support it.
    #[error("{what} is not supported: {remedy}")]
    Unsupported {
        /// Unsupported feature.
        what: String,
        /// Reason or remedy.
        remedy: &'static str,
    },
    /// A named part of the file (tensor, archive entry, key) is faulty.
    #[error("`{}`: {fault}", clip(.item))]
    Item {
        /// Name of the part.
        item: String,
        /// Fault of the part.
        fault: Box<Fault>,
    },
    /// A position in a text file is faulty.
    #[error("line {line}, column {column}: {fault}")]
    At {
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// Fault at the position.
        fault: Box<Fault>,
    },
}

impl Fault {
    pub(crate) fn unsupported(what: impl Into<String>, remedy: &'static str) -> Self {
        Self::Unsupported { what: what.into(), remedy }
    }

    pub(crate) fn of(self, item: &str) -> Self {
        Self::Item { item: item.into(), fault: Box::new(self) }
    }

    pub(crate) fn at(self, line: usize, column: usize) -> Self {
        Self::At { line, column, fault: Box::new(self) }
    }
}

impl From<String> for Fault {
    fn from(text: String) -> Self {
        Self::Invalid(text)
    }
}

impl From<&str> for Fault {
    fn from(text: &str) -> Self {
        Self::Invalid(text.into())
    }
}

/// Adds the place of a fault.
pub(crate) trait Located<T> {
    /// Adds the name of the item.
    fn of(self, item: &str) -> Result<T, Fault>;
    /// Adds the path of the file.
    fn in_file(self, path: &Path) -> Result<T>;
}

impl<T> Located<T> for Result<T, Fault> {
    fn of(self, item: &str) -> Result<T, Fault> {
        self.map_err(|fault| fault.of(item))
    }

    fn in_file(self, path: &Path) -> Result<T> {
        self.map_err(|fault| Error::content(path, fault))
    }
}

/// Text from a file for a one-line message: escaped, and clipped to the length of a reasonable name.
pub(crate) fn clip(text: &str) -> String {
    const LONGEST: usize = 80; // characters; Marian's longest parameter names have about 50
    let mut clipped = String::new();
    for c in text.chars().take(LONGEST) {
        match c {
            '\'' | '"' | '\\' => clipped.push(c),
            // line ends, control characters and others that can't be printed
            _ => clipped.extend(c.escape_debug()),
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        clipped.push('…');
    }
    clipped
}

#[cfg(test)]
mod tests {
    use std::io::{Error as IoError, ErrorKind};

    use super::*;

    #[test]
    fn a_full_disk_is_told_with_its_remedy() {
        for (kind, remedy) in [
            (ErrorKind::StorageFull, "; make room and run the same command again"),
            (
                ErrorKind::FileTooLarge,
                "; raise the limit of file sizes (`ulimit -f`) and run the same command again",
            ),
        ] {
            let told = Error::write(Path::new("to/model.toml"), IoError::from(kind)).to_string();
            assert!(
                told.starts_with("to/model.toml: can't be written: ") && told.ends_with(remedy),
                "{told}"
            );
        }
        let other = Error::write(Path::new("to"), IoError::from(ErrorKind::PermissionDenied)).to_string();
        assert!(!other.contains(';'), "{other}");
    }
}
