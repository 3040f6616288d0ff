//! What can be wrong with a file. Parsers see bytes, not paths, so there are two layers: a [`Fault`] says what is
//! wrong and with which item; an [`Error`] adds the file. Every message is one line, whatever the file holds:
//! names that come out of files are escaped and clipped.

use std::path::{Path, PathBuf};

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What is wrong, and in which file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused to read it.
    #[error("{}: can't be read: {reason}", .path.display())]
    Read {
        /// The file or directory.
        path: PathBuf,
        /// In the system's words.
        reason: std::io::Error,
    },
    /// The operating system refused to write it.
    #[error("{}: can't be written: {reason}", .path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// In the system's words.
        reason: std::io::Error,
    },
    /// The content is not what it should be.
    #[error("{}: {fault}", .path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        fault: Fault,
    },
    /// Something is at the place that was to be written.
    #[error("{}: is there already; {remedy}", .path.display())]
    Exists {
        /// The place.
        path: PathBuf,
        /// What to do.
        remedy: &'static str,
    },
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

/// What is wrong with the content of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file ends before something that it promises.
    #[error("cut short: {what} at byte {at} takes {need} bytes, but {left} are left")]
    Short {
        /// What was being read.
        what: &'static str,
        /// Where it starts.
        at: u64,
        /// How long it should be.
        need: u64,
        /// How much there is.
        left: u64,
    },
    /// It contradicts itself, or the format.
    #[error("{0}")]
    Invalid(String),
    /// The format or model allows it, dyno does not.
    #[error("{what} is not supported: {remedy}")]
    Unsupported {
        /// What was found.
        what: String,
        /// Why, or what to do instead.
        remedy: &'static str,
    },
    /// A named part of the file (tensor, archive entry, key) is wrong.
    #[error("`{}`: {fault}", clip(.item))]
    Item {
        /// Its name as in the file.
        item: String,
        /// What is wrong with it.
        fault: Box<Fault>,
    },
    /// A place in a text file is wrong.
    #[error("line {line}, column {column}: {fault}")]
    At {
        /// Counted from 1.
        line: usize,
        /// Counted from 1, in characters.
        column: usize,
        /// What is wrong there.
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

/// Adds where a fault was found.
pub(crate) trait Located<T> {
    /// Within the item of this name.
    fn of(self, item: &str) -> Result<T, Fault>;
    /// In this file.
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

/// Text out of a file, fit for a one-line message: escaped, and no longer than a name has any reason to be.
pub(crate) fn clip(text: &str) -> String {
    const LONGEST: usize = 80; // characters; Marian's longest parameter names have about 50
    let mut clipped = String::new();
    for c in text.chars().take(LONGEST) {
        match c {
            '\'' | '"' | '\\' => clipped.push(c),
            _ => clipped.extend(c.escape_debug()), // line ends, control characters, what can't be printed
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        clipped.push('…');
    }
    clipped
}
