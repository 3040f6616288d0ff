//! The two model types without search: a piece for each character, and a piece for each word.

use crate::emit::Emitter;
use crate::model::Kind;
use crate::normalizer::Symbols;
use crate::pieces::Pieces;
use crate::utf8::{SPACE, chunk_len};

/// Divides `text` into characters and user-defined symbols.
pub(crate) fn cut_chars(pieces: &Pieces, symbols: &Symbols, mut text: &[u8], emitter: &mut Emitter<'_>) {
    while !text.is_empty() {
        let len = symbols.longest(text).map_or_else(|| chunk_len(text), |(len, _)| len);
        emit(pieces, &text[..len], emitter);
        text = &text[len..];
    }
}

/// Divides `text` into words, each of which begins with a space mark, except perhaps the first.
pub(crate) fn cut_words(pieces: &Pieces, mut text: &[u8], emitter: &mut Emitter<'_>) {
    while !text.is_empty() {
        let mut len = chunk_len(text);
        while len < text.len() && !text[len..].starts_with(SPACE.as_bytes()) {
            len += chunk_len(&text[len..]);
        }
        emit(pieces, &text[..len], emitter);
        text = &text[len..];
    }
}

fn emit(pieces: &Pieces, surface: &[u8], emitter: &mut Emitter<'_>) {
    match pieces.find_surface(surface).filter(|&id| pieces.kind(id) != Some(Kind::Unused)) {
        Some(id) => emitter.known(id),
        None => emitter.unknown(surface.iter().copied()),
    }
}
