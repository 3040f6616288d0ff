//! Errors of opening and running a translator. Each message names the file or the operand, and a remedy.

use std::path::PathBuf;

use dyno_api::files::full_disk_remedy;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Name of a refused setting, and the reason.
pub(crate) type Refusal = (&'static str, String);

/// Remedy for a file that can't be written there.
const NAME_ANOTHER: &str = "name a file that can be written";

/// The reason why a translator can't be opened, or why one of its files can't be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file of the model can't be read.
    #[error(transparent)]
    Formats(#[from] dyno_formats::Error),
    /// A vocabulary can't be read, or ids can't be decoded.
    #[error(transparent)]
    Text(#[from] dyno_text::Error),
    /// A file of the settings can't be read.
    #[error("{}: {source}", .path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
    /// A file that the settings ask for can't be written.
    #[error("writing {what} to {}: {source}; {}", .path.display(), full_disk_remedy(source).unwrap_or(NAME_ANOTHER))]
    Write {
        /// Content of the file.
        what: &'static str,
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
    /// A line of a calibration's file isn't the name of a weight and a number.
    #[error("{}: the line {line:?} isn't `NAME NUMBER`; calibrate again", .path.display())]
    Multiplier {
        /// Path of the file.
        path: PathBuf,
        /// The line.
        line: String,
    },
    /// The model doesn't name a vocabulary for each side.
    #[error("{}: names no two vocabularies; add the setting `vocab`, or the key `vocabularies` to its model.toml", .path.display())]
    NoVocabularies {
        /// Path of the model.
        path: PathBuf,
    },
    /// A vocabulary has no word for the end of a sentence.
    #[error(
        "the {side} vocabulary has no end of sentence; use the vocabulary that the model was trained with"
    )]
    NoEndOfSentence {
        /// Side of the vocabulary: `source` or `target`.
        side: &'static str,
    },
    /// A vocabulary has more words than the network.
    #[error(
        "the {side} vocabulary has {vocabulary} words, the network {network}; name the model's own vocabulary"
    )]
    VocabularySize {
        /// Side of the vocabulary: `source` or `target`.
        side: &'static str,
        /// Words of the vocabulary.
        vocabulary: usize,
        /// Words of the network.
        network: usize,
    },
    /// The networks of an ensemble have target vocabularies of different sizes.
    #[error(
        "one network of the ensemble writes {one} words, another {next}; use models with one target vocabulary"
    )]
    EnsembleWords {
        /// Target words of one network.
        one: usize,
        /// Target words of the next network.
        next: usize,
    },
    /// A limit on n-grams was set, and the shortlist is a lexical one.
    #[error(
        "{}: `shortlist-ngrams` needs a vocabulary map, but this shortlist is lexical; leave `shortlist-ngrams` out",
        .path.display()
    )]
    NgramsOfLexical {
        /// Path of the shortlist.
        path: PathBuf,
    },
    /// A sentence's candidates need not contain the end of the sentence.
    #[error(
        "{}: a sentence's candidates need not hold its end, so that translations wouldn't end; \
         let the shortlist always select some first words, the end among them",
        .path.display()
    )]
    EndlessShortlist {
        /// Path of the shortlist.
        path: PathBuf,
    },
    /// A language is missing, or the model has no word for it.
    #[error("`{setting}` {fault}")]
    Language {
        /// Name of the setting.
        setting: &'static str,
        /// Fault, with a remedy.
        fault: String,
    },
    /// Unknown words are to be replaced, and the vocabularies have pieces of words.
    #[error(
        "replace-unknown copies whole words; this model's vocabularies have pieces, so leave replace-unknown out"
    )]
    ReplacedPieces,
    /// The system refuses a thread.
    #[error(transparent)]
    Shared(#[from] dyno_nn::Error),
}

impl Error {
    /// The same failure as an error of `backend` in the contract with the harness.
    pub(crate) fn of_backend(self, backend: &str) -> dyno_api::Error {
        dyno_api::Error::failed(backend, self)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error as IoError, ErrorKind};

    use super::*;

    #[test]
    fn a_full_disk_needs_room_and_another_fault_another_file() {
        for (kind, remedy) in
            [(ErrorKind::StorageFull, "make room"), (ErrorKind::NotFound, "name a file that can be written")]
        {
            let told =
                Error::Write { what: "activation scales", path: "to".into(), source: IoError::from(kind) };
            assert!(told.to_string().contains(remedy), "{told}");
        }
    }
}
