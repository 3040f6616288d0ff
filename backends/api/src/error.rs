//! What can go wrong between harness and backend. Each message says what, where, and what to do.

use std::path::PathBuf;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a backend did not do as asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The backend has no such setting.
    #[error("{backend} has no setting `{setting}`{}; it knows: {}", hint(.known, .setting), list(.known))]
    UnknownSetting {
        /// Who refuses.
        backend: String,
        /// What was asked for.
        setting: String,
        /// What it knows instead.
        known: Vec<&'static str>,
    },
    /// The backend knows the setting, but not this value of it.
    #[error("{backend} can't take `{setting} = {value}`: {reason}")]
    RefusedSetting {
        /// Who refuses.
        backend: String,
        /// The setting's name.
        setting: String,
        /// The value that was asked for.
        value: String,
        /// Why not, and what would do.
        reason: String,
    },
    /// The backend needs another number of models than it was given.
    #[error("{backend} takes {expected}, but was given {given}")]
    ModelCount {
        /// Who refuses.
        backend: String,
        /// In words: "no model", "one model", "one model or more".
        expected: &'static str,
        /// How many came.
        given: usize,
    },
    /// A model could not be opened.
    #[error("{}: {reason}", .path.display())]
    Model {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The backend failed at its work.
    #[error("{backend}: {reason}")]
    Failed {
        /// Who.
        backend: String,
        /// Why.
        reason: String,
    },
}

fn list(known: &[&str]) -> String {
    if known.is_empty() { "no settings".into() } else { known.join(", ") }
}

fn hint(known: &[&str], wanted: &str) -> String {
    closest(wanted, known.iter().copied())
        .map(|near| format!(" (did you mean `{near}`?)"))
        .unwrap_or_default()
}

/// The candidate nearest to `wanted`, if it is near enough to be a typing error: at most half of its letters
/// differ (two swapped letters count as two).
pub fn closest<'a>(wanted: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .map(|candidate| (edit_distance(wanted, candidate), candidate))
        .filter(|(distance, candidate)| distance * 2 <= candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance over characters, one row of the table at a time.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
