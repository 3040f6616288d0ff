//! Shortlists: for each source word, and for n-grams of source words, the target words of its translations.
//!
//! Marian has two lexical forms, text ([`text`]) and binary ([`binary`]); a vocabulary map ([`map`]) has
//! n-grams. All forms become one [`Shortlist`]. Selection follows Marian's rule. It takes the first (most
//! frequent) words, the candidates of each source token and n-gram, and with a shared vocabulary the source
//! tokens themselves. Then it adds further words up to a multiple of 8, and gives all in ascending order.
//! Marian selects for a batch; here the caller gives the tokens, so that a sentence's translation need not
//! depend on other sentences.

pub mod binary;
mod list;
pub mod map;
mod selection;
pub mod text;

use std::path::Path;

use crate::bytes::Bytes;
use crate::error::Located;
use crate::{Fault, Result};

pub use list::{Cut, Shortlist, Vocabularies, Vocabulary};
pub use selection::Selection;

impl Shortlist {
    /// Reads a shortlist of any form, which its content tells. `cut` counts for lexical text only.
    ///
    /// # Errors
    /// One line with the file and its fault.
    pub fn open(path: &Path, cut: Cut, vocabularies: Vocabularies<'_>) -> Result<Self> {
        let bytes = Bytes::map(path)?;
        Self::from_bytes(&bytes, cut, vocabularies).in_file(path)
    }

    /// As [`open`](Self::open), from bytes in memory.
    ///
    /// # Errors
    /// The first fault.
    pub fn from_bytes(bytes: &[u8], cut: Cut, vocabularies: Vocabularies<'_>) -> Result<Self, Fault> {
        if binary::is_binary(bytes) {
            binary::parse(
                bytes,
                vocabularies.source.words(),
                vocabularies.target.words(),
                vocabularies.shared,
            )
        } else if map::is_map(bytes) {
            map::parse(bytes, vocabularies)
        } else {
            text::parse(bytes, cut, vocabularies)
        }
    }
}
