//! The error type of the crate. Each error names the fault, its place and the remedy.

use std::io;
use std::path::PathBuf;

use dyno_measure::full_disk_remedy;

/// Failure to keep, read, score or price a run. A message is "FAULT; REMEDY", or the fault alone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file can't be read.
    #[error("can't read {path}: {1}", path = .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    /// A file of a run is no JSON of the right shape.
    #[error("{path} is damaged: {1}", path = .0.display())]
    Damaged(PathBuf, #[source] serde_json::Error),
    /// The identity of a run can't be read: the file, the path of the key such as `protocol.profile`, and the fault of
    /// its value. Such a run can neither be completed nor compared.
    #[error("{path}, {1}: {2}; restore the file as dyno wrote it, or measure into a new folder", path = .0.display())]
    Identity(PathBuf, String, serde_json::Error),
    /// A run was changed after it was measured.
    #[error("the run is damaged: {0}")]
    Changed(String),
    /// Another process changed the file of records while the run went on.
    #[error("{} was changed while the run went on; measure into a new folder, with `sandbox = \"bwrap\"` for systems that you don't trust", .0.display())]
    Tampered(PathBuf),
    /// A record can't be true, or can't be read: the file, the number of the line from 1, and its fault.
    #[error("{path}:{1}: {2}; remove that line, and `dyno run` measures its round again", path = .0.display())]
    Record(PathBuf, usize, String),
    /// Records and identity contradict each other: the file of records, and the system and test set of one.
    #[error("{path} has a round of {1} on {2}, which run.json doesn't list: one of the two files was changed", path = .0.display())]
    Strange(PathBuf, String, String),
    /// A newer dyno wrote the file, perhaps with facts that this dyno would overlook.
    #[error("{} was written by a newer dyno (schema {schema}, not {known}); use that dyno to read it", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Schema of the file.
        schema: u32,
        /// Newest schema that this dyno reads.
        known: u32,
    },
    /// A folder holds no run.
    #[error("{} is no run folder: it has no run.json; `dyno run` prints the folder of a run at its end", .0.display())]
    NotARun(PathBuf),
    /// A folder can't take the run, for this reason and with this remedy.
    #[error("{path} {1}", path = .0.display())]
    Folder(PathBuf, String),
    /// The run in the folder is finished, and finished runs are never reopened.
    #[error("the run in {} is finished; print its tables by `dyno score`, or choose another --out to measure again", .0.display())]
    Finished(PathBuf),
    /// Another process measures or scores the run in the folder.
    #[error("another dyno is at work in {}; wait for it, or put this run elsewhere with --out DIR", .0.display())]
    Busy(PathBuf),
    /// A folder or file can't be created where the user wants it.
    #[error("can't create {}: {source}; {remedy}", path.display())]
    NotCreated {
        /// The folder or file.
        path: PathBuf,
        /// Cause of the failure.
        source: io::Error,
        /// Remedy.
        remedy: &'static str,
    },
    /// Runs can't be merged.
    #[error("{0}")]
    Apart(String),
    /// A price list is wrong.
    #[error("{0}")]
    Prices(String),
    /// sacrebleu, or a metric of the user's own, gives no score.
    #[error("{0}")]
    Scorer(String),
    /// sacrebleu has no environment.
    #[error(transparent)]
    Provision(#[from] dyno_provision::Error),
    /// A file of the run can't be written.
    #[error("can't write {}{}", .0.display(), remedy_of(.1))]
    Unwritable(PathBuf, #[source] io::Error),
    /// A value can't be encoded for its file: a fault of the bench.
    #[error("can't encode {0}: {1}")]
    Encoding(&'static str, String),
}

fn remedy_of(error: &io::Error) -> String {
    full_disk_remedy(error).map_or_else(String::new, |remedy| format!("; {remedy}"))
}

impl Error {
    /// Remedy at the end of the message, if it has one.
    pub fn remedy(&self) -> Option<String> {
        let message = self.to_string();
        let (_, remedy) = match self {
            Self::Unreadable(..)
            | Self::Damaged(..)
            | Self::Strange(..)
            | Self::Apart(_)
            | Self::Encoding(..) => None,
            Self::Unwritable(_, source) => return full_disk_remedy(source),
            Self::Changed(fault) | Self::Folder(_, fault) | Self::Prices(fault) | Self::Scorer(fault) => {
                fault.split_once("; ")
            }
            _ => message.rsplit_once("; "),
        }?;
        Some(remedy.into())
    }

    /// Whether the user's input is at fault, and not the bench or its host.
    pub fn is_bad_input(&self) -> bool {
        !matches!(self, Self::Unwritable(..) | Self::Encoding(..))
    }

    pub(crate) fn encoding(what: &'static str) -> impl Fn(serde_json::Error) -> Self {
        move |error| Self::Encoding(what, error.to_string())
    }
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
