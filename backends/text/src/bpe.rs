//! Byte-pair encoding: neighbours are merged, always the pair whose merged piece scores best, the leftmost of
//! equals, until no neighbours make a piece.
//!
//! Symbols are numbers: the id of the piece, or, for a character that is only ever part of pieces, a number
//! behind the last id. All pairs that make a piece are tabled at load, so that a merge is one look-up by two
//! numbers where the reference hashes text. Where no piece can span a space mark, each word is merged by
//! itself, which gives the same ids: merges in different words never compete for a symbol.

use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use crate::Result;
use crate::emit::{Emitter, NO_PIECE};
use crate::model::Kind;
use crate::normalizer::Symbols;
use crate::pieces::Pieces;
use crate::trie::{Step, Trie};
use crate::utf8::{SPACE, chunk_len};

/// Unused pieces are taken apart again this deep, and no deeper, as in the reference.
const MAX_SPLIT_DEPTH: usize = 100;

/// No neighbour on this side.
const NONE: u32 = u32::MAX;

/// Where text may be divided before merging.
#[derive(Clone, Copy, PartialEq)]
enum Boundary {
    BeforeSpace,
    AfterSpace,
    Nowhere,
}

/// What two neighbours become.
#[derive(Clone, Copy)]
struct Merged {
    id: u32,
    /// Orders as the score does.
    rank: u32,
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

/// A pair that may be merged. The derived order is that of merging: by score, then the left one first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    rank: u32,
    /// Complement of the left symbol's index.
    leftness: u32,
    right: u32,
    /// Bytes of both together when it was found: another length now means that it is stale.
    len: u32,
    id: u32,
}

/// Into which symbols an unused piece falls apart.
#[derive(Clone, Copy)]
struct Split {
    left: u32,
    right: u32,
    left_len: u32,
}

/// Working memory.
#[derive(Default)]
pub(crate) struct BpeScratch {
    symbols: Vec<Symbol>,
    heap: BinaryHeap<Candidate>,
    splits: HashMap<u32, Split>,
}

/// See the module.
pub(crate) struct Bpe {
    /// Characters and pieces to symbol numbers.
    numbers: Trie,
    /// The same for ASCII characters.
    ascii: [u32; 128],
    merges: HashMap<u64, Merged, BuildHasherDefault<PairHasher>>,
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
            merges: merges(pieces, &numbers),
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
            self.merge(scratch, from, to);
            self.emit(text, scratch, from, to, emitter);
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

    /// Merges the symbols `from..to` among themselves.
    fn merge(&self, scratch: &mut BpeScratch, from: usize, to: usize) {
        let BpeScratch { symbols, heap, splits } = scratch;
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
            if r.next != NONE {
                symbols[r.next as usize].prev = left;
                self.consider(symbols, left, r.next, heap, splits);
            }
            if l.prev != NONE {
                self.consider(symbols, l.prev, left, heap, splits);
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
        if l.frozen || r.frozen {
            return;
        }
        let Some(&Merged { id, rank }) = self.merges.get(&pair(l.id, r.id)) else { return };
        heap.push(Candidate { rank, leftness: !left, right, len: l.len + r.len, id });
        if self.unused[id as usize] {
            splits.insert(id, Split { left: l.id, right: r.id, left_len: l.len });
        }
    }

    fn emit(&self, text: &[u8], scratch: &BpeScratch, from: usize, to: usize, emitter: &mut Emitter<'_>) {
        let mut at = from as u32;
        while at != NONE && (at as usize) < to {
            let symbol = scratch.symbols[at as usize];
            let surface = &text[symbol.start..symbol.start + symbol.len as usize];
            self.emit_symbol(symbol.id, surface, &scratch.splits, 0, emitter);
            at = symbol.next;
        }
    }

    /// Emits one symbol; an unused piece as its parts. The recursion is bounded by [`MAX_SPLIT_DEPTH`].
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

/// Characters inside of pieces that are no pieces themselves, numbered behind the last id.
fn mere_chars(pieces: &Pieces) -> impl Iterator<Item = (&[u8], u32)> {
    let chars = pieces.surfaces().flat_map(|(_, text, _)| {
        text.char_indices().map(|(at, char)| &text.as_bytes()[at..at + char.len_utf8()])
    });
    let mut chars: Vec<&[u8]> = chars.filter(|char| pieces.find_surface(char).is_none()).collect();
    chars.sort_unstable();
    chars.dedup();
    let first = pieces.len() as u32;
    chars.into_iter().zip(first..)
}

/// All pairs of symbols that make a piece.
fn merges(pieces: &Pieces, numbers: &Trie) -> HashMap<u64, Merged, BuildHasherDefault<PairHasher>> {
    let mut merges = HashMap::default();
    for (id, text, _) in pieces.surfaces() {
        let rank = rank(pieces.scores[id as usize]);
        let mut walk = numbers.walk();
        for (i, byte) in text.bytes().enumerate().take(text.len() - 1) {
            let Step::Key(left) = walk.step(byte) else { continue };
            if let Some(right) = numbers.get(&text.as_bytes()[i + 1..]) {
                merges.insert(pair(left, right), Merged { id, rank });
            }
        }
    }
    merges
}

/// A whole number that orders as `score` does.
fn rank(score: f32) -> u32 {
    let bits = score.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// Spreads a pair of small numbers over 64 bits.
#[derive(Default)]
struct PairHasher(u64);

impl Hasher for PairHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        // Fibonacci hashing: 2^64 over the golden ratio. The table takes its index from the low bits and its tag
        // from the high ones, so the halves are folded.
        let product = u128::from(self.0 ^ value) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
