//! Texts and JSON of a tokeniser's folder; faults name the file.

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::{Error, Result};

/// Text of the file at `path`.
pub(super) fn read(path: &Path) -> Result<String> {
    dyno_api::files::read_to_string(path).map_err(Error::reading(path))
}

/// The JSON file at `path`, as a `T`.
///
/// # Errors
/// When the file can't be read, or isn't such JSON.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    parse_json(path, &read(path)?)
}

/// The text of the JSON file at `path`, as a `T`.
pub(super) fn parse_json<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| Error::content(path, format!("{error}; copy the file anew from the model's origin")))
}
