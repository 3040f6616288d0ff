//! Byte-pair encoding: merges neighbours until no two neighbours make a piece. The pair with the best score
//! is merged first, and of equal ones the leftmost.
//!
//! Symbols are numbers: the id of a piece, or a number behind the last id for a character that occurs in
//! pieces only. All pairs that make a piece are in a table, so that a merge is a lookup by two numbers, where
//! the reference hashes text. Where no piece can span a space mark, each word is merged by itself. That gives
//! the same ids, because merges in different words never compete for a symbol.

mod long;
mod merges;
mod short;
mod symbols;

use crate::bpe::long::LongScratch;
use crate::bpe::merges::Merged;
use crate::bpe::symbols::{Boundary, Symbol};
use crate::emit::Emitter;
use crate::normalizer::Symbols;

pub(crate) use crate::bpe::symbols::Bpe;

/// Greatest number of symbols that are merged without a heap.
const SHORT: usize = 24;

/// Buffers of a merger.
#[derive(Default)]
pub(crate) struct BpeScratch {
    symbols: Vec<Symbol>,
    pairs: Vec<Option<Merged>>,
    long: LongScratch,
}

impl Bpe {
    /// Divides `text` into pieces and appends their ids.
    pub fn cut(&self, text: &[u8], symbols: &Symbols, scratch: &mut BpeScratch, emitter: &mut Emitter<'_>) {
        self.split_chars(text, symbols, &mut scratch.symbols);
        let mut from = 0;
        while from < scratch.symbols.len() {
            let to = self.segment_end(text, &scratch.symbols, from);
            if to - from <= SHORT && self.boundary != Boundary::Nowhere {
                let len = self.merge_short(&mut scratch.symbols[from..to], &mut scratch.pairs);
                self.emit_short(text, &scratch.symbols[from..from + len], emitter);
            } else {
                self.merge(&mut scratch.symbols, &mut scratch.long, from, to);
                self.emit(text, &scratch.symbols, &scratch.long, from, to, emitter);
            }
            from = to;
        }
    }
}
