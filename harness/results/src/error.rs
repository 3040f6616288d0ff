//! The error type of the crate. Each error names the fault, its place and the remedy.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use dyno_measure::full_disk_remedy;
use dyno_record::json::KeyFault;

/// Remedy for a file without which a run can't be used.
pub(crate) const RESTORE: &str = "restore the file as dyno wrote it, or measure into a new folder";

/// Remedy for a file without which the rest of a run can be used.
const RESTORE_OR_REMOVE: &str =
    "restore it, or remove it and run `dyno score` (if rounds are missing, `dyno run`)";

/// Failure to keep, read, score or price a run. A message is "FAULT; REMEDY"; only faults of the bench have no remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file can't be read.
    #[error("can't read {path}: {1}; see that it is there and that you may read it", path = .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    /// A file of a run is no JSON of the right shape.
    #[error("{}; {RESTORE_OR_REMOVE}", .1.at(.0.display()))]
    Damaged(PathBuf, KeyFault),
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
    #[error("can't write {}; {}", .0.display(), remedy_of(.1))]
    Unwritable(PathBuf, #[source] io::Error),
    /// A value can't be encoded for its file: a fault of the bench.
    #[error("can't encode {0}: {1}")]
    Encoding(&'static str, String),
}

fn remedy_of(error: &io::Error) -> String {
    full_disk_remedy(error).unwrap_or_else(|| "see that you may write there".into())
}

impl Error {
    /// Whether the user's input is at fault, and not the bench or its host.
    pub fn is_bad_input(&self) -> bool {
        !matches!(self, Self::Unwritable(..) | Self::Encoding(..))
    }

    pub(crate) fn encoding(what: &'static str) -> impl Fn(serde_json::Error) -> Self {
        move |error| Self::Encoding(what, error.to_string())
    }

    /// A run was changed after it was measured.
    pub(crate) fn changed(fault: impl Display) -> Self {
        Self::Input(format!("the run is damaged: {fault}; {RESTORE}"))
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
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_a_remedy_but_the_faults_of_the_bench() {
        let path = || PathBuf::from("a; b");
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        for error in [
            Error::Unreadable(path(), denied()),
            Error::Damaged(path(), dyno_record::json::read::<u8>(b"{").unwrap_err()),
            Error::changed("a file is missing"),
            Error::newer(&path(), 3, 2),
            Error::not_a_run(&path()),
            Error::NotCreated(path(), denied(), "name another"),
            Error::Provision(dyno_provision::Error::Refused("no uv; install it".into())),
            Error::Unwritable(path(), denied()),
            Error::Unwritable(path(), io::ErrorKind::StorageFull.into()),
            Error::Encoding("a record", "no number".into()),
        ] {
            // A new variant must be named here, and above.
            let is_the_benchs = match error {
                Error::Encoding(..) => true,
                Error::Unreadable(..) | Error::Damaged(..) | Error::Input(_) | Error::NotCreated(..) => false,
                Error::Provision(_) | Error::Unwritable(..) => false,
            };
            let text = error.to_string();
            let remedy = text.rsplit_once("; ").map_or("", |(_, remedy)| remedy);
            assert_eq!(remedy.is_empty(), is_the_benchs, "{error}");
            assert!(!remedy.contains("b:"), "{error}");
        }
    }
}
