//! A double-array trie from byte strings to ids, built at load and walked for every position of every line.
//!
//! A node's children lie at `base ^ byte`, so one step is one load of eight bytes. Each node owns its base
//! alone; hence a child's label identifies its parent, and no parent pointer is needed. The arrangement is
//! the one of Aoe's double arrays with XOR as in darts-clone, but a node carries its id itself where
//! darts-clone spends a leaf node: half the loads where a match is found, which is at every second step.

mod build;
mod set;

use crate::Result;
use build::Builder;

/// Label bits, one more than a byte: an empty unit has a label that no byte equals.
const LABEL_BITS: u32 = 9;

/// The id of a node that ends no key.
const NO_ID: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Unit {
    /// Base and label: `base << LABEL_BITS | label`. Childless nodes have base 0: block 0 stays empty.
    link: u32,
    id: u32,
}

/// See the module.
pub(crate) struct Trie {
    units: Vec<Unit>,
    root: u32,
}

impl Trie {
    /// A trie of `keys`; a key that comes twice has its last id, empty keys are left out.
    pub fn build(mut keys: Vec<(&[u8], u32)>) -> Result<Self> {
        keys.sort_by_key(|(key, _)| *key);
        Builder::new().build(&keys)
    }

    /// Calls `found(length, id)` for each key that `text` begins with, shorter ones first.
    #[cfg(test)]
    pub fn prefixes(&self, text: &[u8], mut found: impl FnMut(usize, u32)) {
        let mut walk = self.walk();
        for (i, &byte) in text.iter().enumerate() {
            match walk.step(byte) {
                Step::Out => return,
                Step::Inside => {}
                Step::Key(id) => found(i + 1, id),
            }
        }
    }

    /// The id of exactly `key`.
    pub fn get(&self, key: &[u8]) -> Option<u32> {
        let mut walk = self.walk();
        let mut last = Step::Out;
        for &byte in key {
            last = walk.step(byte);
            if let Step::Out = last {
                return None;
            }
        }
        if let Step::Key(id) = last { Some(id) } else { None }
    }

    /// A walk from the root.
    #[inline]
    pub fn walk(&self) -> Walk<'_> {
        Walk { units: &self.units, base: self.root }
    }
}

/// Where a step led.
pub(crate) enum Step {
    /// No key begins like this.
    Out,
    /// Some key goes on from here.
    Inside,
    /// A key ends here; others may go on.
    Key(u32),
}

/// A walk down the trie.
pub(crate) struct Walk<'a> {
    units: &'a [Unit],
    base: u32,
}

impl Walk<'_> {
    /// Goes on by one byte. After [`Step::Out`] the walk is over.
    #[inline(always)]
    pub fn step(&mut self, byte: u8) -> Step {
        let Some(unit) = self.units.get((self.base ^ u32::from(byte)) as usize) else { return Step::Out };
        if unit.link & ((1 << LABEL_BITS) - 1) != u32::from(byte) {
            return Step::Out;
        }
        self.base = unit.link >> LABEL_BITS;
        if unit.id == NO_ID { Step::Inside } else { Step::Key(unit.id) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_answers_like_a_map(
            keys in proptest::collection::btree_map(
                proptest::collection::vec(prop_oneof![0u8..4, any::<u8>()], 1..6), 0u32..1000, 0..200),
            text in proptest::collection::vec(prop_oneof![0u8..4, any::<u8>()], 0..12),
        ) {
            let trie = Trie::build(keys.iter().map(|(k, v)| (k.as_slice(), *v)).collect()).unwrap();
            for (key, id) in &keys {
                prop_assert_eq!(trie.get(key), Some(*id));
            }
            let mut found = BTreeMap::new();
            trie.prefixes(&text, |len, id| { found.insert(len, id); });
            let expected: BTreeMap<usize, u32> =
                (1..=text.len()).filter_map(|n| keys.get(&text[..n]).map(|id| (n, *id))).collect();
            prop_assert_eq!(found, expected);
            prop_assert_eq!(trie.get(&text), keys.get(&text).copied());
        }
    }

    #[test]
    fn an_empty_trie_finds_nothing() {
        let trie = Trie::build(vec![]).unwrap();
        assert_eq!(trie.get(b"a"), None);
        assert_eq!(trie.get(b""), None);
    }
}
