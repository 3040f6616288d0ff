//! Merging of many symbols, or with a model that has unused pieces: candidate pairs wait in a heap, and an
//! unused piece is split again when it is emitted.

use std::collections::{BinaryHeap, HashMap};

use super::merges::Merged;
use super::symbols::{Bpe, NONE, Symbol};
use crate::emit::{Emitter, NO_PIECE};

/// Greatest depth of splitting unused pieces, as in the reference.
const MAX_SPLIT_DEPTH: usize = 100;

/// A pair that may be merged. The derived order is the order of merging: by score, then the left pair first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    rank: u32,
    /// Complement of the left symbol's index.
    leftness: u32,
    right: u32,
    /// Length of both symbols in bytes when the pair was found; another length now makes the pair stale.
    len: u32,
    id: u32,
}

/// The two symbols of an unused piece.
#[derive(Clone, Copy)]
struct Split {
    left: u32,
    right: u32,
    left_len: u32,
}

/// Buffers of long merges.
#[derive(Default)]
pub(super) struct LongScratch {
    heap: BinaryHeap<Candidate>,
    splits: HashMap<u32, Split>,
}

impl Bpe {
    /// Merges the symbols `from..to` among themselves.
    pub(super) fn merge(&self, symbols: &mut [Symbol], scratch: &mut LongScratch, from: usize, to: usize) {
        let LongScratch { heap, splits } = scratch;
        heap.clear();
        splits.clear();
        for (i, symbol) in (from as u32..).zip(&mut symbols[from..to]) {
            symbol.prev = if i as usize > from { i - 1 } else { NONE };
            symbol.next = if i as usize + 1 < to { i + 1 } else { NONE };
        }
        for right in from + 1..to {
            self.consider(symbols, right as u32 - 1, right as u32, heap, splits);
        }
        while let Some(best) = heap.pop() {
            let (left, right) = (!best.leftness, best.right);
            let [l, r] = [symbols[left as usize], symbols[right as usize]];
            if l.len == 0 || r.len == 0 || l.len + r.len != best.len {
                continue;
            }
            symbols[left as usize] = Symbol { len: best.len, id: best.id, next: r.next, ..l };
            symbols[right as usize].len = 0;
            // The left pair comes first: of two ways to make an unused piece, the later one counts.
            if l.prev != NONE {
                self.consider(symbols, l.prev, left, heap, splits);
            }
            if r.next != NONE {
                symbols[r.next as usize].prev = left;
                self.consider(symbols, left, r.next, heap, splits);
            }
        }
    }

    /// Adds the pair to the heap if it makes a piece.
    #[inline]
    fn consider(
        &self,
        symbols: &[Symbol],
        left: u32,
        right: u32,
        heap: &mut BinaryHeap<Candidate>,
        splits: &mut HashMap<u32, Split>,
    ) {
        let [l, r] = [&symbols[left as usize], &symbols[right as usize]];
        let Some(Merged { id, rank }) = self.merged(l, r) else { return };
        heap.push(Candidate { rank, leftness: !left, right, len: l.len + r.len, id });
        if self.unused[id as usize] {
            splits.insert(id, Split { left: l.id, right: r.id, left_len: l.len });
        }
    }

    /// Emits the symbols that are left of `from..to`.
    pub(super) fn emit(
        &self,
        text: &[u8],
        symbols: &[Symbol],
        scratch: &LongScratch,
        from: usize,
        to: usize,
        emitter: &mut Emitter<'_>,
    ) {
        let mut at = from as u32;
        while at != NONE && (at as usize) < to {
            let symbol = symbols[at as usize];
            let surface = &text[symbol.start..symbol.start + symbol.len as usize];
            self.emit_symbol(symbol.id, surface, &scratch.splits, 0, emitter);
            at = symbol.next;
        }
    }

    /// Emits a symbol; an unused piece is emitted as its parts. [`MAX_SPLIT_DEPTH`] bounds the recursion.
    fn emit_symbol(
        &self,
        id: u32,
        surface: &[u8],
        splits: &HashMap<u32, Split>,
        depth: usize,
        emitter: &mut Emitter<'_>,
    ) {
        let unused = self.unused.get(id as usize) == Some(&true);
        if depth > MAX_SPLIT_DEPTH && unused {
            return emitter.known(id);
        }
        match (self.emitted.get(id as usize), splits.get(&id)) {
            (Some(&emitted), _) if emitted != NO_PIECE => emitter.known(emitted),
            (_, Some(split)) if unused => {
                let (left, right) = surface.split_at(split.left_len as usize);
                self.emit_symbol(split.left, left, splits, depth + 1, emitter);
                self.emit_symbol(split.right, right, splits, depth + 1, emitter);
            }
            _ => emitter.unknown(surface.iter().copied()),
        }
    }
}
