//! Decoding: pieces are joined, space marks become spaces, and byte pieces become characters.

use crate::model::Kind;
use crate::normalizer::Symbols;
use crate::pieces::byte_of;
use crate::sentencepiece::SentencePiece;
use crate::utf8::{REPLACEMENT, SPACE, char_len};
use crate::{Error, Result};

impl SentencePiece {
    /// Replaces `text` by the text of `ids`; control pieces such as the end of the sentence have no text.
    ///
    /// # Errors
    /// When an id isn't in the vocabulary.
    pub fn decode_into(&self, ids: &[u32], text: &mut String) -> Result<()> {
        text.clear();
        let unknown = |&&id: &&u32| self.pieces.kind(id).is_none();
        if let Some(&id) = ids.iter().find(unknown) {
            return Err(Error::UnknownId { id, len: self.len() });
        }
        let mut at_start = true;
        let mut rest = ids;
        while let Some((&id, after)) = rest.split_first() {
            let run = rest.iter().take_while(|&&id| self.pieces.kind(id) == Some(Kind::Byte)).count();
            if run > 0 {
                push_bytes(self, &rest[..run], text);
                rest = &rest[run..];
                continue;
            }
            at_start &= text.is_empty();
            push_piece(self, id, &mut at_start, text);
            rest = after;
        }
        if let (Some(denormalizer), false) = (&self.denormalizer, ids.is_empty()) {
            let mut denormalized = Vec::new();
            denormalizer.normalize(text.as_bytes(), &Symbols::none(), &mut denormalized);
            *text = String::from_utf8_lossy(&denormalized).into_owned();
        }
        Ok(())
    }
}

/// Appends a piece that isn't a byte. The space that encoding put before the text is left out; if the model
/// removes extra white space, all spaces there are.
fn push_piece(model: &SentencePiece, id: u32, at_start: &mut bool, text: &mut String) {
    let kind = model.pieces.kind(id);
    if kind == Some(Kind::Control) {
        return;
    }
    let mut piece = model.pieces.text(id).unwrap_or_default();
    let drops_space = *at_start && (model.add_dummy_prefix || model.remove_extra_whitespaces);
    if drops_space && let Some(stripped) = piece.strip_prefix(SPACE) {
        piece = stripped;
        *at_start = model.remove_extra_whitespaces;
    }
    if kind == Some(Kind::Unknown) {
        text.push_str(&model.unk_surface);
    } else {
        push_unmarked(piece, text);
    }
    *at_start &= text.is_empty();
}

fn push_unmarked(piece: &str, text: &mut String) {
    for (i, part) in piece.split(SPACE).enumerate() {
        if i > 0 {
            text.push(' ');
        }
        text.push_str(part);
    }
}

impl SentencePiece {
    /// Appends a run of byte pieces; a byte of no character becomes U+FFFD.
    pub(crate) fn push_bytes(&self, ids: &[u32], text: &mut String) {
        push_bytes(self, ids, text);
    }
}

fn push_bytes(model: &SentencePiece, mut ids: &[u32], text: &mut String) {
    while !ids.is_empty() {
        let mut window = [0; 4]; // the longest character
        let width = ids.len().min(window.len());
        for (byte, &id) in window.iter_mut().zip(ids) {
            *byte = model.pieces.text(id).and_then(byte_of).unwrap_or_default();
        }
        let len = char_len(&window[..width]);
        let valid = len.and_then(|len| std::str::from_utf8(&window[..len]).ok());
        text.push_str(valid.unwrap_or(REPLACEMENT));
        ids = &ids[len.unwrap_or(1)..];
    }
}
