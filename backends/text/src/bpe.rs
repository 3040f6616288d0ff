//! Byte-pair encoding: neighbours are merged, always the pair whose merged piece scores best, the leftmost of
//! equals, until no neighbours make a piece.
//!
//! Symbols are numbers: the id of the piece, or, for a character that is only ever part of pieces, a number
//! behind the last id. All pairs that make a piece are tabled at load, so that a merge is one look-up by two
//! numbers where the reference hashes text. Where no piece can span a space mark, each word is merged by
//! itself, which gives the same ids: merges in different words never compete for a symbol.

mod long;
mod merges;

use std::collections::{BinaryHeap, HashMap};

use crate::Result;
use crate::bpe::long::{Candidate, Split};
use crate::bpe::merges::{Merged, Merges, mere_chars};
use crate::emit::{Emitter, NO_PIECE};
use crate::model::Kind;
use crate::normalizer::Symbols;
use crate::pieces::Pieces;
use crate::trie::Trie;
use crate::utf8::{SPACE, chunk_len};

/// Up to so many symbols, most words by far, looking through all pairs for the best is faster than a heap.
const SHORT: usize = 24;

/// No neighbour on this side.
const NONE: u32 = u32::MAX;

/// Where text may be divided before merging.
#[derive(Clone, Copy, PartialEq)]
enum Boundary {
    BeforeSpace,
    AfterSpace,
    Nowhere,
}

/// A stretch of text during merging.
#[derive(Clone, Copy)]
struct Symbol {
    /// First byte in the text.
    start: usize,
    /// Bytes; 0 once it was merged into its left neighbour.
    len: u32,
    /// Its number, or [`NO_PIECE`].
    id: u32,
    prev: u32,
    next: u32,
    /// A user-defined symbol, never merged.
    frozen: bool,
}

/// Working memory.
#[derive(Default)]
pub(crate) struct BpeScratch {
    symbols: Vec<Symbol>,
    pairs: Vec<Option<Merged>>,
    heap: BinaryHeap<Candidate>,
    splits: HashMap<u32, Split>,
}

/// See the module.
pub(crate) struct Bpe {
    /// Characters and pieces to symbol numbers.
    numbers: Trie,
    /// The same for ASCII characters.
    ascii: [u32; 128],
    merges: Merges,
    /// By id: what stands for the piece in the output; unused ones and mere characters have none.
    emitted: Vec<u32>,
    /// By id.
    unused: Vec<bool>,
    boundary: Boundary,
}

impl Bpe {
    /// A merger into the surface pieces.
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
            // The split of an unused piece is the last one found in the whole line.
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

    /// Cuts `text` and appends the ids.
    pub fn cut(&self, text: &[u8], symbols: &Symbols, scratch: &mut BpeScratch, emitter: &mut Emitter<'_>) {
        self.split_chars(text, symbols, &mut scratch.symbols);
        let mut from = 0;
        while from < scratch.symbols.len() {
            let to = self.segment_end(text, &scratch.symbols, from);
            if to - from <= SHORT && self.boundary != Boundary::Nowhere {
                let len = self.merge_short(&mut scratch.symbols[from..to], &mut scratch.pairs);
                self.emit_short(text, &scratch.symbols[from..from + len], emitter);
            } else {
                self.merge(scratch, from, to);
                self.emit(text, scratch, from, to, emitter);
            }
            from = to;
        }
    }

    fn split_chars(&self, text: &[u8], user_symbols: &Symbols, symbols: &mut Vec<Symbol>) {
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

    /// Where the stretch that begins with symbol `from` and can be merged by itself ends.
    fn segment_end(&self, text: &[u8], symbols: &[Symbol], from: usize) -> usize {
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

    /// Merges `symbols` among themselves, moving them together; returns how many are left.
    fn merge_short(&self, symbols: &mut [Symbol], pairs: &mut Vec<Option<Merged>>) -> usize {
        pairs.clear();
        pairs.extend(symbols.windows(2).map(|pair| self.merged(&pair[0], &pair[1])));
        while let Some(at) = best(pairs) {
            let (right, left) = (symbols[at + 1], &mut symbols[at]);
            (left.len, left.id) = (left.len + right.len, pairs[at].map_or(left.id, |merged| merged.id));
            let len = pairs.len() + 1;
            symbols.copy_within(at + 2..len, at + 1);
            pairs.remove(at);
            if at > 0 {
                pairs[at - 1] = self.merged(&symbols[at - 1], &symbols[at]);
            }
            if at < pairs.len() {
                pairs[at] = self.merged(&symbols[at], &symbols[at + 1]);
            }
        }
        pairs.len() + 1
    }

    /// What two neighbours make.
    #[inline]
    fn merged(&self, left: &Symbol, right: &Symbol) -> Option<Merged> {
        if left.frozen || right.frozen {
            return None;
        }
        self.merges.get(left.id, right.id)
    }

    fn emit_short(&self, text: &[u8], symbols: &[Symbol], emitter: &mut Emitter<'_>) {
        for symbol in symbols {
            match self.emitted.get(symbol.id as usize) {
                Some(&id) if id != NO_PIECE => emitter.known(id),
                _ => {
                    let surface = &text[symbol.start..symbol.start + symbol.len as usize];
                    emitter.unknown(surface.iter().copied());
                }
            }
        }
    }
}

/// The pair to merge next: the one that scores best, the leftmost of equals.
#[inline]
fn best(pairs: &[Option<Merged>]) -> Option<usize> {
    let mut best: Option<(usize, u32)> = None;
    for (i, merged) in pairs.iter().enumerate() {
        match (merged, best) {
            (Some(merged), None) => best = Some((i, merged.rank)),
            (Some(merged), Some((_, rank))) if merged.rank > rank => best = Some((i, merged.rank)),
            _ => {}
        }
    }
    best.map(|(i, _)| i)
}
