//! Symbols of byte-pair encoding: the division of text into symbols, and the merges of two neighbours.

use crate::Result;
use crate::bpe::merges::{Merged, Merges, mere_chars};
use crate::emit::NO_PIECE;
use crate::model::Kind;
use crate::normalizer::Symbols;
use crate::pieces::Pieces;
use crate::trie::Trie;
use crate::utf8::{SPACE, chunk_len};

/// No neighbour on this side.
pub(super) const NONE: u32 = u32::MAX;

/// Places where text may be divided before merging.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Boundary {
    BeforeSpace,
    AfterSpace,
    Nowhere,
}

/// A stretch of text during merging.
#[derive(Clone, Copy)]
pub(super) struct Symbol {
    /// Position of the first byte in the text.
    pub(super) start: usize,
    /// Length in bytes; 0 after the symbol was merged into its left neighbour.
    pub(super) len: u32,
    /// Number of the symbol, or [`NO_PIECE`].
    pub(super) id: u32,
    pub(super) prev: u32,
    pub(super) next: u32,
    /// Whether the symbol is user-defined, which is never merged.
    pub(super) frozen: bool,
}

/// The merges of a model, and the symbols that they read and make.
pub(crate) struct Bpe {
    /// Numbers of characters and pieces.
    numbers: Trie,
    /// Numbers of ASCII characters.
    ascii: [u32; 128],
    merges: Merges,
    /// By id: the output for the piece; unused pieces and mere characters have none.
    pub(super) emitted: Vec<u32>,
    /// By id: whether the piece is unused.
    pub(super) unused: Vec<bool>,
    pub(super) boundary: Boundary,
}

impl Bpe {
    /// The merges of the surface pieces.
    pub fn new(pieces: &Pieces) -> Result<Self> {
        let mut keys: Vec<(&[u8], u32)> =
            pieces.surfaces().map(|(id, text, _)| (text.as_bytes(), id)).collect();
        keys.extend(mere_chars(pieces));
        let numbers = Trie::build(keys)?;
        let kind_is = |wanted| move |id: u32| pieces.kind(id) == Some(wanted);
        let ids = 0..pieces.len() as u32;
        let unused: Vec<bool> = ids.clone().map(kind_is(Kind::Unused)).collect();
        let surface = |id: &u32| pieces.kinds[*id as usize].is_surface() && !unused[*id as usize];
        let marks = pieces.space_marks();
        let boundary = match () {
            // For an unused piece the last split in the whole line counts, so that the line can't be divided.
            () if unused.contains(&true) => Boundary::Nowhere,
            () if marks.only_first => Boundary::BeforeSpace,
            () if marks.only_last => Boundary::AfterSpace,
            () => Boundary::Nowhere,
        };
        Ok(Self {
            ascii: std::array::from_fn(|byte| numbers.get(&[byte as u8]).unwrap_or(NO_PIECE)),
            merges: Merges::new(pieces, &numbers),
            numbers,
            emitted: ids.map(|id| if surface(&id) { id } else { NO_PIECE }).collect(),
            unused,
            boundary,
        })
    }

    /// Replaces `symbols` by the characters and user-defined symbols of `text`.
    pub(super) fn split_chars(&self, text: &[u8], user_symbols: &Symbols, symbols: &mut Vec<Symbol>) {
        symbols.clear();
        let mut start = 0;
        while start < text.len() {
            let rest = &text[start..];
            let found = user_symbols.longest(rest);
            let (len, id) = found.unwrap_or_else(|| self.char(rest));
            let frozen = found.is_some();
            symbols.push(Symbol { start, len: len as u32, id, prev: NONE, next: NONE, frozen });
            start += len;
        }
    }

    #[inline]
    fn char(&self, rest: &[u8]) -> (usize, u32) {
        let len = chunk_len(rest);
        match self.ascii.get(usize::from(rest[0])) {
            Some(&id) => (len, id),
            None => (len, self.numbers.get(&rest[..len]).unwrap_or(NO_PIECE)),
        }
    }

    /// The end of the stretch from symbol `from` on that can be merged by itself.
    pub(super) fn segment_end(&self, text: &[u8], symbols: &[Symbol], from: usize) -> usize {
        let is_space = |i: usize| text[symbols[i].start..].starts_with(SPACE.as_bytes());
        let ends_in_space =
            |i: usize| text[..symbols[i].start + symbols[i].len as usize].ends_with(SPACE.as_bytes());
        let mut inner = from + 1..symbols.len();
        match self.boundary {
            Boundary::BeforeSpace => inner.find(|&i| is_space(i)),
            Boundary::AfterSpace => inner.find(|&i| ends_in_space(i - 1)),
            Boundary::Nowhere => None,
        }
        .unwrap_or(symbols.len())
    }

    /// The merge of two neighbours.
    #[inline]
    pub(super) fn merged(&self, left: &Symbol, right: &Symbol) -> Option<Merged> {
        if left.frozen || right.frozen {
            return None;
        }
        self.merges.get(left.id, right.id)
    }
}
