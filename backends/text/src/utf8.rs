//! UTF-8 as in the reference implementation.
//!
//! There are two readings. Division trusts the first byte of a character ([`chunk_len`]), because the text is
//! normalised. Normalisation and decoding check everything ([`char_len`]) and replace each byte of no
//! character by U+FFFD.

/// Mark of a space inside pieces: U+2581.
pub(crate) const SPACE: &str = "\u{2581}";

/// Replacement of a byte that is part of no character: U+FFFD.
pub(crate) const REPLACEMENT: &str = "\u{FFFD}";

/// Bytes of a character by the upper half of its first byte; a stray continuation byte is one character.
const CHUNK_LEN: [u8; 16] = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4];

/// Length of the character at the start of `text` (not empty), by its first byte and cut at the end.
#[inline]
pub(crate) fn chunk_len(text: &[u8]) -> usize {
    usize::from(CHUNK_LEN[usize::from(text[0] >> 4)]).min(text.len())
}

/// Length of the valid character at the start of `text`; `None` for overlong forms, surrogates and values
/// beyond U+10FFFF.
#[inline]
pub(crate) fn char_len(text: &[u8]) -> Option<usize> {
    let len = match *text.first()? {
        0x00..=0x7F => return Some(1),
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    std::str::from_utf8(text.get(..len)?).is_ok().then_some(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_valid_characters_count() {
        assert_eq!(char_len("é!".as_bytes()), Some(2));
        assert_eq!(char_len("👩".as_bytes()), Some(4));
        for bad in
            [&b"\xE2\x96"[..], b"\xC0\x80", b"\xED\xA0\x80", b"\xF4\x90\x80\x80", b"\x96", b"", b"\xC3A"]
        {
            assert_eq!(char_len(bad), None, "{bad:x?}");
        }
    }

    #[test]
    fn chunks_end_with_the_text() {
        assert_eq!(chunk_len(b"\xE2\x96"), 2);
        assert_eq!(chunk_len(b"\x96\x96"), 1);
    }
}
