//! Errors of vocabularies. Each message is one line with file, item and fault.

use std::path::{Path, PathBuf};

use dyno_api::printable_line;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a vocabulary can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file can't be read.
    #[error("{}: {source}", .path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Reason of the operating system.
        source: std::io::Error,
    },
    /// The content of the file is faulty.
    #[error("{}: {source}", .path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Fault of the content.
        source: Box<Error>,
    },
    /// A file of a tokeniser is faulty, or asks for something that is missing here.
    #[error("{}: {fault}", .path.display())]
    Content {
        /// Path of the file.
        path: PathBuf,
        /// Fault, with a remedy.
        fault: String,
    },
    /// The name of the file has no suffix of a known format.
    #[error("`{name}` names no vocabulary format: it must end in .spm, .model, .yml, .yaml, .json or .txt")]
    Suffix {
        /// Name as given.
        name: String,
    },
    /// The bytes are no protobuf message.
    #[error("byte {offset}: {fault}; is this a SentencePiece model?")]
    Wire {
        /// Position of the fault from the start of the file.
        offset: usize,
        /// Fault at the position.
        fault: &'static str,
    },
    /// The message is well-formed, but no usable model.
    #[error("{item}: {fault}")]
    Model {
        /// Part of the model.
        item: String,
        /// Fault of the part.
        fault: String,
    },
    /// A word vocabulary is faulty.
    #[error("line {line}: {fault}")]
    Words {
        /// Line, from 1.
        line: usize,
        /// Fault in the line.
        fault: String,
    },
    /// An id to decode isn't in the vocabulary.
    #[error("there is no id {id} in a vocabulary of {len}")]
    UnknownId {
        /// The id.
        id: u32,
        /// Number of ids in the vocabulary.
        len: usize,
    },
}

/// Faults may quote the file, whose words may have line ends: each fault is one line.
impl Error {
    /// A fault of the file at `path`.
    #[cfg(feature = "encoders")]
    pub(crate) fn content(path: &Path, fault: impl Into<String>) -> Self {
        Self::Content { path: path.into(), fault: printable_line(&fault.into()) }
    }

    /// The error of a file at `path` that can't be read.
    pub(crate) fn reading(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Read { path: path.into(), source }
    }

    /// This fault with the file that has it.
    pub(crate) fn in_file(self, path: &Path) -> Self {
        Self::File { path: path.into(), source: Box::new(self) }
    }

    /// A fault of the named part of a model.
    pub(crate) fn model(item: impl Into<String>, fault: impl Into<String>) -> Self {
        Self::Model { item: item.into(), fault: printable_line(&fault.into()) }
    }

    /// A fault in a line of a word vocabulary, counted from 1.
    pub(crate) fn words(line: usize, fault: impl Into<String>) -> Self {
        Self::Words { line, fault: printable_line(&fault.into()) }
    }
}

/// The beginning of a word from a file for a message, so that a hostile file can't flood it.
pub(crate) fn shown(word: &str) -> String {
    word.chars().take(20).flat_map(char::escape_debug).collect()
}
