//! The error type of the crate. Each error names the fault, its place and the remedy.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

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
    /// A run, a folder, a price list or a metric can't be used as the user wants it.
    #[error("{0}")]
    Input(String),
    /// A folder or file can't be created where the user wants it: the cause, and the remedy.
    #[error("can't create {path}: {1}; {2}", path = .0.display())]
    NotCreated(PathBuf, #[source] io::Error, &'static str),
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
        match self {
            Self::Unreadable(..) | Self::Damaged(..) | Self::Encoding(..) => None,
            Self::Unwritable(_, source) => full_disk_remedy(source),
            _ => self.to_string().rsplit_once("; ").map(|(_, remedy)| remedy.into()),
        }
    }

    /// Whether the user's input is at fault, and not the bench or its host.
    pub fn is_bad_input(&self) -> bool {
        !matches!(self, Self::Unwritable(..) | Self::Encoding(..))
    }

    pub(crate) fn encoding(what: &'static str) -> impl Fn(serde_json::Error) -> Self {
        move |error| Self::Encoding(what, error.to_string())
    }

    /// A run was changed after it was measured.
    pub(crate) fn changed(fault: impl Display) -> Self {
        Self::Input(format!("the run is damaged: {fault}"))
    }

    /// A newer dyno wrote the file, perhaps with facts that this dyno would overlook.
    pub(crate) fn newer(path: &Path, schema: u32, known: u32) -> Self {
        Self::Input(format!(
            "{} was written by a newer dyno (schema {schema}, not {known}); use that dyno to read it",
            path.display()
        ))
    }

    /// A folder holds no run.
    pub(crate) fn not_a_run(folder: &Path) -> Self {
        Self::Input(format!(
            "{} is no run folder: it has no run.json; `dyno run` prints the folder of a run at its end",
            folder.display()
        ))
    }
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
