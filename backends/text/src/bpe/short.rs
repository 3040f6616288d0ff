//! Merging of few symbols, the case of most words: looking through all pairs for the best one is faster than
//! a heap.

use super::merges::Merged;
use super::symbols::{Bpe, Symbol};
use crate::emit::{Emitter, NO_PIECE};

impl Bpe {
    /// Merges `symbols` among themselves and moves them together; gives the number that is left.
    pub(super) fn merge_short(&self, symbols: &mut [Symbol], pairs: &mut Vec<Option<Merged>>) -> usize {
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

    /// Emits the symbols that are left.
    pub(super) fn emit_short(&self, text: &[u8], symbols: &[Symbol], emitter: &mut Emitter<'_>) {
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

/// The pair to merge next: the pair with the best score, and of equal ones the leftmost.
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
