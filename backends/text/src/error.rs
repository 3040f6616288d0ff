//! What can be wrong with a vocabulary. Each message is one line: file, item, fault.

use std::path::PathBuf;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a vocabulary can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file can't be read.
    #[error("{}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file was read, but its content is wrong.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<Error>,
    },
    /// The name tells no format.
    #[error("`{name}` names no vocabulary format: it must end in .spm, .model, .yml, .yaml, .json or .txt")]
    Suffix {
        /// The name as given.
        name: String,
    },
    /// The bytes are no protobuf message.
    #[error("byte {offset}: {fault}; is this a SentencePiece model?")]
    Wire {
        /// Where, counted from the start of the file.
        offset: usize,
        /// What is wrong there.
        fault: &'static str,
    },
    /// A well-formed message that is no usable model.
    #[error("{item}: {fault}")]
    Model {
        /// Which part of the model.
        item: String,
        /// What is wrong with it.
        fault: String,
    },
    /// A fault in a word vocabulary.
    #[error("line {line}: {fault}")]
    Words {
        /// Counted from 1.
        line: usize,
        /// What is wrong there.
        fault: String,
    },
    /// An id was to be decoded that the vocabulary doesn't have.
    #[error("there is no id {id} in a vocabulary of {len}")]
    UnknownId {
        /// The id.
        id: u32,
        /// How many there are.
        len: usize,
    },
}

impl Error {
    /// A fault of the named part of a model.
    pub(crate) fn model(item: impl Into<String>, fault: impl Into<String>) -> Self {
        Self::Model { item: item.into(), fault: fault.into() }
    }

    /// A fault in a line (counted from 1) of a word vocabulary.
    pub(crate) fn words(line: usize, fault: impl Into<String>) -> Self {
        Self::Words { line, fault: fault.into() }
    }
}
