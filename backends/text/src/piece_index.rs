//! An index of pieces by text: a table of ids, open to the next free slot.
//!
//! A table of owned strings would allocate once for each piece and take ten times the memory, which is part
//! of the start. The texts stay with the caller, who gives the text of an id on request. The hash has a random
//! key, so that a hostile file can't make all pieces collide.

use std::hash::{BuildHasher, RandomState};

/// Mark of a free slot; a vocabulary never has so many pieces.
const FREE: u32 = u32::MAX;

/// Ids of pieces, found by their texts.
pub(crate) struct PieceIndex {
    slots: Vec<u32>, // a power of two, at most half of them taken
    taken: usize,
    hasher: RandomState,
}

impl PieceIndex {
    /// An empty index with room for `many` pieces.
    pub fn with_capacity(many: usize) -> Self {
        Self { slots: vec![FREE; Self::room(many)], taken: 0, hasher: RandomState::new() }
    }

    /// Number of slots for `many` pieces.
    fn room(many: usize) -> usize {
        (2 * many.max(4)).next_power_of_two()
    }

    /// Adds the piece `id`; false where a piece with the same text is in the index, which stays.
    pub fn insert<'a>(&mut self, id: u32, text_of: impl Fn(u32) -> &'a str) -> bool {
        if 2 * (self.taken + 1) > self.slots.len() {
            self.grow(&text_of);
        }
        let slot = self.slot(text_of(id), &text_of);
        let is_new = self.slots[slot] == FREE;
        if is_new {
            self.slots[slot] = id;
            self.taken += 1;
        }
        is_new
    }

    /// The id of the piece `text`.
    pub fn find<'a>(&self, text: &str, text_of: impl Fn(u32) -> &'a str) -> Option<u32> {
        let id = self.slots[self.slot(text, text_of)];
        (id != FREE).then_some(id)
    }

    /// The slot that has `text`, or the free slot where it belongs.
    fn slot<'a>(&self, text: &str, text_of: impl Fn(u32) -> &'a str) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = self.hasher.hash_one(text) as usize & last;
        while self.slots[slot] != FREE && text_of(self.slots[slot]) != text {
            slot = (slot + 1) & last;
        }
        slot
    }

    /// Doubles the table.
    fn grow<'a>(&mut self, text_of: &impl Fn(u32) -> &'a str) {
        let slots = vec![FREE; 2 * self.slots.len()];
        for id in std::mem::replace(&mut self.slots, slots).into_iter().filter(|id| *id != FREE) {
            let slot = self.slot(text_of(id), text_of);
            self.slots[slot] = id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn it_answers_like_a_map(texts in proptest::collection::vec("[ab▁]{0,4}", 1..200), many in 0usize..300) {
            let text_of = |id: u32| texts[id as usize].as_str();
            let (mut index, mut map) = (PieceIndex::with_capacity(many), HashMap::new());
            for id in 0..texts.len() as u32 {
                let is_new = !map.contains_key(text_of(id));
                map.entry(text_of(id)).or_insert(id);
                prop_assert_eq!(index.insert(id, text_of), is_new);
            }
            for text in texts.iter().map(String::as_str).chain(["", "absent"]) {
                prop_assert_eq!(index.find(text, text_of), map.get(text).copied());
            }
        }
    }
}
