//! The error type of the crate. Each error names the fault, its place and the remedy.

use std::io;
use std::path::PathBuf;

use dyno_measure::full_disk_remedy;

const MEASURE_AGAIN: &str = "remove that line, and `dyno run` measures its round again";
const WHERE_RUNS_ARE: &str = "`dyno run` prints the folder of a run at its end";
const SANDBOX: &str =
    "measure into a new folder, with `sandbox = \"bwrap\"` for systems that you don't trust";
const NEWER_DYNO: &str = "use that dyno to read it";
const ANOTHER_OUT: &str = "print its tables by `dyno score`, or choose another --out to measure again";
const WHOLE_FILE: &str = "restore the file as dyno wrote it, or measure into a new folder";
const WAIT: &str = "wait for it, or put this run elsewhere with --out DIR";

/// Failure to keep, read, score or price a run. A message is "FAULT; REMEDY", or the fault alone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file can't be read.
    #[error("can't read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Cause of the failure.
        source: io::Error,
    },
    /// A file of a run is no JSON of the right shape.
    #[error("{} is damaged: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Fault of the JSON.
        source: serde_json::Error,
    },
    /// The identity of a run can't be read. Such a run can neither be completed nor compared.
    #[error("{}, {key}: {fault}; {WHOLE_FILE}", path.display())]
    Identity {
        /// The file.
        path: PathBuf,
        /// Path of the key, such as `protocol.profile`.
        key: String,
        /// Fault of the value.
        fault: serde_json::Error,
    },
    /// A run was changed after it was measured.
    #[error("the run is damaged: {0}")]
    Changed(String),
    /// Another process changed the records while the run went on.
    #[error("{} was changed while the run went on; {SANDBOX}", path.display())]
    Tampered {
        /// The file of records.
        path: PathBuf,
    },
    /// A record can't be true, or can't be read.
    #[error("{}:{line}: {fault}; {MEASURE_AGAIN}", path.display())]
    Record {
        /// The file of records.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Fault of the line.
        fault: String,
    },
    /// Records and identity contradict each other.
    #[error("{} has a round of {system} on {test_set}, which run.json doesn't list: one of the two files was changed", path.display())]
    Strange {
        /// The file of records.
        path: PathBuf,
        /// System of the record.
        system: String,
        /// Test set of the record.
        test_set: String,
    },
    /// A newer dyno wrote the file, perhaps with facts that this dyno would overlook.
    #[error("{} was written by a newer dyno (schema {schema}, not {known}); {NEWER_DYNO}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Schema of the file.
        schema: u32,
        /// Newest schema that this dyno reads.
        known: u32,
    },
    /// A folder holds no run.
    #[error("{} is no run folder: it has no run.json; {WHERE_RUNS_ARE}", folder.display())]
    NotARun {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder can't take the run.
    #[error("{} {fault}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Reason and remedy.
        fault: String,
    },
    /// The run is finished, and finished runs are never reopened.
    #[error("the run in {} is finished; {ANOTHER_OUT}", folder.display())]
    Finished {
        /// The run's folder.
        folder: PathBuf,
    },
    /// Another process measures or scores the run.
    #[error("another dyno is at work in {}; {WAIT}", folder.display())]
    Busy {
        /// The run's folder.
        folder: PathBuf,
    },
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
    /// A file of the run can't be written.
    #[error("can't write {}{}", path.display(), remedy_of(source))]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Cause of the failure.
        source: io::Error,
    },
    /// A value can't be encoded for its file: a fault of the bench.
    #[error("can't encode {what}: {fault}")]
    Encoding {
        /// The value.
        what: &'static str,
        /// Reason.
        fault: String,
    },
}

fn remedy_of(error: &io::Error) -> String {
    full_disk_remedy(error).map_or_else(String::new, |remedy| format!("; {remedy}"))
}

impl Error {
    /// Remedy at the end of the message, if it has one.
    pub fn remedy(&self) -> Option<String> {
        let text = |text: &str| Some(text.to_owned());
        match self {
            Self::Record { .. } => text(MEASURE_AGAIN),
            Self::NotARun { .. } => text(WHERE_RUNS_ARE),
            Self::Tampered { .. } => text(SANDBOX),
            Self::Newer { .. } => text(NEWER_DYNO),
            Self::Finished { .. } => text(ANOTHER_OUT),
            Self::Busy { .. } => text(WAIT),
            Self::Identity { .. } => text(WHOLE_FILE),
            Self::NotCreated { remedy, .. } => text(remedy),
            Self::Unwritable { source, .. } => full_disk_remedy(source),
            Self::Changed(fault) | Self::Folder { fault, .. } | Self::Prices(fault) | Self::Scorer(fault) => {
                fault.split_once("; ").map(|(_, remedy)| remedy.into())
            }
            _ => None,
        }
    }

    /// Whether the user's input is at fault, and not the bench or its host.
    pub fn is_bad_input(&self) -> bool {
        !matches!(self, Self::Unwritable { .. } | Self::Encoding { .. })
    }

    pub(crate) fn encoding(what: &'static str) -> impl Fn(serde_json::Error) -> Self {
        move |error| Self::Encoding { what, fault: error.to_string() }
    }
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
