//! The crate's one error: what the bench could not do, with a remedy where the user has one. A system's
//! failure is no error here but a [`Reason`](dyno_record::Reason) in a record.

use std::io;
use std::path::{Path, PathBuf};

use dyno_api::files;

/// Remedy for a file that can't be read.
const READABLE: &str = "see that it is there and that you may read it";

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
    /// The disk is full. A system may have failed for this reason alone.
    #[error("can't write to {}; {}", folder.display(), room_for(source))]
    NoRoom {
        /// Folder of the scratch files.
        folder: PathBuf,
        /// Cause of the failure.
        source: io::Error,
    },
    /// A file of a test set can't be read.
    #[error("can't read {}: {source}; {READABLE}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Cause of the failure.
        source: io::Error,
    },
    /// A file of lines isn't what it should be.
    #[error("{}: {fault}{remedy}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Fault of its lines.
        fault: String,
        /// The remedy behind a "; ", or nothing.
        remedy: &'static str,
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
    pub(crate) fn file(path: &Path, fault: impl Into<String>, remedy: &'static str) -> Self {
        Self::File { path: path.into(), fault: fault.into(), remedy }
    }

    /// Remedy at the end of the message, if it has one.
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::NoRoom { .. } => Some(self.to_string().rsplit_once("; ")?.1.into()),
            Self::Unreadable { .. } => Some(READABLE.into()),
            Self::File { remedy, .. } => remedy.strip_prefix("; ").map(Into::into),
            Self::Program(fault) => Some(fault.split_once("; ")?.1.into()),
            _ => None,
        }
    }

    /// Whether the user's input is at fault, and not the bench or its host.
    pub fn is_bad_input(&self) -> bool {
        !matches!(self, Self::Io(_) | Self::Step { .. } | Self::NoRoom { .. })
    }
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Names the step in which an input or output failed, or a message between bench and supervisor.
pub(crate) trait During<T> {
    fn during(self, doing: &'static str) -> Result<T>;
}

impl<T, E: Into<io::Error>> During<T> for std::result::Result<T, E> {
    fn during(self, doing: &'static str) -> Result<T> {
        self.map_err(|error| Error::Step { doing, source: error.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_a_remedy_but_failures_of_the_host() {
        let (path, denied) = (|| PathBuf::from("a; b"), || io::Error::from(io::ErrorKind::PermissionDenied));
        for error in [
            Error::Io(denied()),
            Error::Step { doing: "starting", source: denied() },
            Error::NoRoom { folder: path(), source: io::ErrorKind::StorageFull.into() },
            Error::Unreadable { path: path(), source: denied() },
            Error::file(&path(), "no lines", "; add some"),
            crate::check_command(&[], Path::new("")).unwrap_err(),
        ] {
            // A new variant must be named here, and above.
            let is_the_hosts = match error {
                Error::Io(_) | Error::Step { .. } => true,
                Error::NoRoom { .. } | Error::Unreadable { .. } => false,
                Error::File { .. } | Error::Program(_) => false,
            };
            let remedy = error.remedy().unwrap_or_default();
            assert_eq!(remedy.is_empty(), is_the_hosts, "{error}");
            assert!(!remedy.contains("b:") && error.to_string().ends_with(&remedy), "{error}");
        }
    }
}
