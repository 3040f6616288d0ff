//! JSON that is read with the key of a fault, so that a person finds the place in the file.

use std::fmt::Display;

use serde::de::DeserializeOwned;

/// Fault of a JSON text, with its key.
#[derive(Debug, thiserror::Error)]
#[error("{key}: {fault}")]
pub struct KeyFault {
    /// Path of the key, such as `protocol.profile`; `.` is the whole text, `?` a place without a key.
    pub key: String,
    /// Fault of the key's value.
    pub fault: serde_json::Error,
}

impl KeyFault {
    /// The fault with its place: a file or a line of it, and the key.
    pub fn at(&self, place: impl Display) -> String {
        match self.key.as_str() {
            "." | "?" => format!("{place}: {}", self.fault),
            key => format!("{place}, {key}: {}", self.fault),
        }
    }
}

/// Reads a text, which must hold one value and nothing else.
pub fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, KeyFault> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let at = |error: serde_path_to_error::Error<serde_json::Error>| KeyFault {
        key: error.path().to_string(),
        fault: error.into_inner(),
    };
    let value = serde_path_to_error::deserialize(&mut reader).map_err(at)?;
    let whole = reader.end().map_err(|fault| KeyFault { key: ".".into(), fault });
    whole.map(|()| value)
}
