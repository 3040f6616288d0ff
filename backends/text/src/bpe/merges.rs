//! The table of merges: the pairs of symbols that make a piece.
//!
//! Several pairs may make one piece, a pair for each cut of the piece into two symbols; the table has all of
//! them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::pieces::Pieces;
use crate::trie::{Step, Trie};

/// Result of merging two neighbours.
#[derive(Clone, Copy)]
pub(crate) struct Merged {
    pub id: u32,
    /// Rank of the merge, in the order of scores.
    pub rank: u32,
}

/// The merges by pairs of symbol numbers.
pub(crate) struct Merges(HashMap<u64, Merged, BuildHasherDefault<PairHasher>>);

impl Merges {
    /// The merges of the surface pieces; `numbers` has the numbers of all symbols.
    pub fn new(pieces: &Pieces, numbers: &Trie) -> Self {
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
        Self(merges)
    }

    /// The merge of two symbols.
    #[inline]
    pub fn get(&self, left: u32, right: u32) -> Option<Merged> {
        self.0.get(&pair(left, right)).copied()
    }
}

/// Characters of pieces that are no pieces themselves, numbered behind the last id.
pub(crate) fn mere_chars(pieces: &Pieces) -> impl Iterator<Item = (&[u8], u32)> {
    let chars = pieces.surfaces().flat_map(|(_, text, _)| {
        text.char_indices().map(|(at, char)| &text.as_bytes()[at..at + char.len_utf8()])
    });
    let mut chars: Vec<&[u8]> = chars.filter(|char| pieces.find_surface(char).is_none()).collect();
    chars.sort_unstable();
    chars.dedup();
    let first = pieces.len() as u32;
    chars.into_iter().zip(first..)
}

/// A whole number with the order of `score`.
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
        // Fibonacci hashing: 2^64 over the golden ratio. The hash map takes its index from the low bits and
        // its tag from the high bits, so the halves are folded.
        let product = u128::from(self.0 ^ value) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_order_as_scores_do() {
        let scores = [f32::NEG_INFINITY, -2.0, -1.5, -1e-30, 0.0, 1e-30, 3.0];
        assert!(scores.is_sorted_by_key(|&score| rank(score)));
    }
}
