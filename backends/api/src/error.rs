//! Errors between harness and backend. Each message says what failed, where, and what to do about it.

use std::path::{Path, PathBuf};

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a backend refuses a request or fails at it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The backend has no such setting.
    #[error("{backend} has no setting `{setting}`{}; it knows: {}", hint(.known, .setting), list(.known))]
    UnknownSetting {
        /// Name of the backend.
        backend: String,
        /// Name of the setting as given.
        setting: String,
        /// Names of the settings that the backend has.
        known: Vec<&'static str>,
    },
    /// The backend has the setting and refuses its value.
    #[error("{backend} can't take `{setting} = {value}`: {reason}")]
    RefusedSetting {
        /// Name of the backend.
        backend: String,
        /// Name of the setting.
        setting: String,
        /// Value as given, in JSON.
        value: String,
        /// Reason for the refusal, and a value that the backend accepts.
        reason: String,
    },
    /// The backend needs another number of models.
    #[error("{backend} takes {expected}, but was given {given}")]
    ModelCount {
        /// Name of the backend.
        backend: String,
        /// Number of models that the backend needs, in words: "no model", "one model", "one model or more".
        expected: &'static str,
        /// Number of models as given.
        given: usize,
    },
    /// The model can't be opened.
    #[error("{}: {reason}", .path.display())]
    Model {
        /// File or directory of the model.
        path: PathBuf,
        /// Fault of the file or directory.
        reason: String,
    },
    /// The backend failed at its work.
    #[error("{backend}: {reason}")]
    Failed {
        /// Name of the backend.
        backend: String,
        /// Reason of the failure.
        reason: String,
    },
    /// A breakdown has a part that the contract doesn't name.
    #[error("{table} has the part {part:?}; it may have {}", .known.join(", "))]
    UnknownPart {
        /// Table of the breakdown: `components` or `operators`.
        table: &'static str,
        /// Name of the part as given.
        part: String,
        /// Names that the table may have.
        known: &'static [&'static str],
    },
    /// The sum of a breakdown's parts overflows 64 bits of nanoseconds.
    #[error("{table} adds up to more than 584 years; it is told in nanoseconds")]
    BreakdownOverflow {
        /// Table of the breakdown: `components` or `operators`.
        table: &'static str,
    },
}

impl Error {
    /// The failure of `backend` at its work.
    pub fn failed(backend: &str, reason: impl ToString) -> Self {
        Self::Failed { backend: backend.into(), reason: reason.to_string() }
    }
}

/// The model of a `backend` that takes one.
///
/// # Errors
/// When there is another number of models.
pub fn only_model<'a>(backend: &str, models: &'a [PathBuf]) -> Result<&'a Path> {
    match models {
        [model] => Ok(model),
        _ => {
            let (backend, given) = (backend.into(), models.len());
            Err(Error::ModelCount { backend, expected: "one model", given })
        }
    }
}

fn list(known: &[&str]) -> String {
    if known.is_empty() { "no settings".into() } else { known.join(", ") }
}

fn hint(known: &[&str], wanted: &str) -> String {
    closest(wanted, known.iter().copied())
        .map(|near| format!(" (did you mean `{near}`?)"))
        .unwrap_or_default()
}

/// The candidate nearest to `wanted`, if one is near, by the letters that are to be changed, added or left out; two
/// swapped neighbours count once (optimal string alignment). A candidate counts as near up to a distance of half of
/// its length: farther names are hardly typing errors.
pub fn closest<'a>(wanted: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .map(|candidate| (strsim::osa_distance(wanted, candidate), candidate))
        .filter(|(distance, candidate)| distance * 2 <= candidate.chars().count())
        // A letter left out or added is more likely than another letter in its place.
        .min_by_key(|&(distance, candidate)| {
            (distance, !candidate.contains(wanted) && !wanted.contains(candidate), candidate)
        })
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_differs_in_half_of_its_letters_at_most() {
        let names = || ["beam", "normalize", "bé"].into_iter();
        assert_eq!(closest("baem", names()), Some("beam"));
        assert_eq!(
            closest("rnu", ["list", "run"].into_iter()),
            Some("run"),
            "two swapped letters count once"
        );
        assert_eq!(closest("normalise", names()), Some("normalize"));
        assert_eq!(closest("be", names()), Some("bé"), "a letter is a character, however many bytes it has");
        assert_eq!(closest("bxyz", names()), None);
        assert_eq!(closest("sru", ["gru", "ssru"].into_iter()), Some("ssru"), "a letter was left out");
    }
}
