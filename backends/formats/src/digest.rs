//! Identity of a file: its size and SHA-256.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::Result;
use crate::bytes::Bytes;

/// Size and hash of a file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileIdentity {
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 in lower-case hexadecimal.
    pub sha256: String,
}

impl FileIdentity {
    /// The identity of the file at `path`.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn of_file(path: &Path) -> Result<Self> {
        Ok(Self::of_bytes(&Bytes::map(path)?))
    }

    /// The identity of these bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let sha256 = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        Self { bytes: bytes.len() as u64, sha256 }
    }
}
