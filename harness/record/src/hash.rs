//! Hashes as records hold them.

use sha2::{Digest, Sha256};

/// SHA-256 of `bytes`, in hexadecimal.
pub fn hash_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
