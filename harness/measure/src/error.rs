//! The crate's one error: what the bench could not do, with a remedy where the user has one. A system's
//! failure is no error here but a [`Reason`](crate::Reason) in a record.

use std::io;
use std::path::PathBuf;

use dyno_api::files;

const ONE_SENTENCE: &str = "expected one sentence on each line";
const SECONDS: &str = "expected a number of seconds on each line, none below the one before";

/// Failure of the bench, or of the input that it was given. A message is "FAULT; REMEDY", or the fault alone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A system call or file of the bench failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A step of the bench failed; the step is named.
    #[error("{doing}")]
    Step {
        /// The step, such as "writing to the supervisor".
        doing: &'static str,
        /// Cause of the failure.
        source: io::Error,
    },
    /// A message between bench and supervisor is not valid JSON.
    #[error("{what}")]
    Message {
        /// Name of the message.
        what: &'static str,
        /// Error of the JSON parser.
        source: serde_json::Error,
    },
    /// The disk is full. A system may have failed for this reason alone.
    #[error("can't write to {}; {}", folder.display(), room_for(source))]
    NoRoom {
        /// Folder of the scratch files.
        folder: PathBuf,
        /// Cause of the failure.
        source: io::Error,
    },
    /// A file of a test set can't be read.
    #[error("can't read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Cause of the failure.
        source: io::Error,
    },
    /// A file of lines holds none.
    #[error("{}: no lines; {ONE_SENTENCE}", .0.display())]
    NoLines(PathBuf),
    /// A file of lines holds no word.
    #[error("{}: no words; {ONE_SENTENCE}", .0.display())]
    NoWords(PathBuf),
    /// A reference file holds no word.
    #[error("{}: no words; leave it out of `references` if there are none", .0.display())]
    EmptyReference(PathBuf),
    /// Source and reference differ in their number of lines.
    #[error("{} has {lines} lines, but {} has {expected}", path.display(), source_path.display())]
    UnequalLines {
        /// The reference.
        path: PathBuf,
        /// Lines of the reference.
        lines: usize,
        /// The source.
        source_path: PathBuf,
        /// Lines of the source.
        expected: usize,
    },
    /// A reference is not UTF-8.
    #[error("{}: a reference must be UTF-8", .0.display())]
    NotUtf8(PathBuf),
    /// A line of recorded arrivals is no instant that may follow.
    #[error("{}: line {line} is no instant that may follow; {SECONDS}", path.display())]
    NoInstant {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
    },
    /// A file of arrivals has no gap between two of them, or too many.
    #[error("{}: no recording; expected two instants at least, which differ, and at most {most}", path.display())]
    NoArrivals {
        /// The file.
        path: PathBuf,
        /// Greatest number of arrivals.
        most: usize,
    },
    /// A command names a program that can't be started.
    #[error("{0}")]
    Program(String),
}

/// Remedy for a file that the disk, a quota or a limit doesn't take. A run goes on where it ended.
pub fn full_disk_remedy(error: &io::Error) -> Option<String> {
    Some(format!("{}: it resumes", files::full_disk_remedy(error)?))
}

fn room_for(error: &io::Error) -> String {
    full_disk_remedy(error).unwrap_or_else(|| format!("{}: it resumes", files::MAKE_ROOM))
}

impl Error {
    /// Remedy at the end of the message, if it has one.
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::NoRoom { .. }
            | Self::NoLines(_)
            | Self::NoWords(_)
            | Self::EmptyReference(_)
            | Self::NoInstant { .. }
            | Self::NoArrivals { .. } => Some(self.to_string().rsplit_once("; ")?.1.into()),
            Self::Program(fault) => Some(fault.split_once("; ")?.1.into()),
            _ => None,
        }
    }

    /// Whether the user's input is at fault, and not the bench or its host.
    pub fn is_bad_input(&self) -> bool {
        !matches!(self, Self::Io(_) | Self::Step { .. } | Self::Message { .. } | Self::NoRoom { .. })
    }
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Names the step in which an input or output failed.
pub(crate) trait During<T> {
    /// The same result, whose error names the step.
    fn during(self, doing: &'static str) -> Result<T>;
}

impl<T> During<T> for io::Result<T> {
    fn during(self, doing: &'static str) -> Result<T> {
        self.map_err(|source| Error::Step { doing, source })
    }
}

/// Names the message that is not valid.
pub(crate) trait InMessage<T> {
    /// The same result, whose error names the message.
    fn in_message(self, what: &'static str) -> Result<T>;
}

impl<T> InMessage<T> for serde_json::Result<T> {
    fn in_message(self, what: &'static str) -> Result<T> {
        self.map_err(|source| Error::Message { what, source })
    }
}
