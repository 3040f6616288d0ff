//! Faults that every engine may meet, whatever its networks: of the kernels' tuning, and of threads.

use std::io;
use std::path::PathBuf;

use dyno_api::files::full_disk_remedy;
use dyno_kernels::Error as KernelError;

/// The reason why an engine can't have what all engines share.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The tuning can't be read or written.
    #[error(transparent)]
    Tuning(#[from] TuningError),
    /// The system refuses a thread.
    #[error("can't start the threads of a line: {source}; set fewer `threads`")]
    Threads {
        /// Cause.
        source: io::Error,
    },
}

/// The reason why a file of blockings can't be read, used or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuningError {
    /// The file can't be read.
    #[error("{}: {source}", .path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// The file can't be written.
    #[error("writing the tuning to {}: {source}; {}", .path.display(),
        full_disk_remedy(source).unwrap_or("name a file that can be written"))]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// The file holds no tuning, or one that this processor can't use.
    #[error("{}: {source}", .path.display())]
    Content {
        /// Path of the file.
        path: PathBuf,
        /// Fault of the tuning.
        source: KernelError,
    },
}
