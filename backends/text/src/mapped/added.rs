//! Words that are found in a line before it is divided into pieces: special words, and those that were added to a
//! vocabulary, such as `</s>` or `[NAME]`.
//!
//! The text between them goes through SentencePiece part by part, as in the original, whose search the crate has.

use std::collections::BTreeMap;

use tokenizers::models::wordlevel::WordLevel;
use tokenizers::normalizers::NormalizerWrapper;
use tokenizers::{AddedToken, AddedVocabulary, OffsetReferential, OffsetType};

use crate::{Error, Result};

/// The words, and the bytes with which they begin.
pub(super) struct AddedWords {
    words: AddedVocabulary,
    first: [bool; 256],
}

/// Part of a line.
pub(super) enum Part<'a> {
    Word(u32),
    Text(&'a str),
}

impl AddedWords {
    /// The words of `tokens`, each with its id.
    pub(super) fn new(tokens: BTreeMap<u32, AddedToken>) -> Result<Self> {
        let fault = |error: tokenizers::Error| Error::model("added words", error.to_string());
        let ids = tokens.iter().map(|(id, token)| (token.content.clone(), *id)).collect();
        let ids = WordLevel::builder().vocab(ids).build().map_err(fault)?;
        let mut first = [false; 256];
        for byte in tokens.values().filter_map(|token| token.content.bytes().next()) {
            first[usize::from(byte)] = true;
        }
        let mut words = AddedVocabulary::new();
        words.add_tokens(tokens.into_values(), &ids, None::<&NormalizerWrapper>).map_err(fault)?;
        Ok(Self { words, first })
    }

    /// Whether `line` may hold one of the words. Most lines don't, and need no search.
    pub(super) fn may_be_in(&self, line: &[u8]) -> bool {
        line.iter().any(|byte| self.first[usize::from(*byte)])
    }

    /// Calls `each` for the parts of `line` in order.
    pub(super) fn parts(&self, line: &str, mut each: impl FnMut(Part<'_>)) {
        let divided = self.words.extract_and_normalize(None::<&NormalizerWrapper>, line);
        for (text, _, found) in divided.get_splits(OffsetReferential::Original, OffsetType::None) {
            match found.as_deref() {
                Some([word, ..]) => each(Part::Word(word.id)),
                _ => each(Part::Text(text)),
            }
        }
    }
}
