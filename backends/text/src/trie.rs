//! A double-array trie from byte strings to ids, built at loading and walked for every position of every
//! line.
//!
//! The children of a node lie at `base ^ byte`, so that a step is one load of eight bytes. Each node owns its
//! base alone. Hence a child's label identifies its parent, and no parent pointer is needed. The arrangement
//! is that of Aoe's double arrays with XOR, as in darts-clone. But a node carries its id itself, where
//! darts-clone has a leaf node: that halves the loads at a match, which is every second step.

mod array;
mod build;
mod set;

use crate::Result;
use build::Builder;

pub(crate) use array::{Step, Trie};

impl Trie {
    /// Builds a trie of `keys`. A repeated key has its last id, and empty keys are left out.
    pub fn build(keys: Vec<(&[u8], u32)>) -> Result<Self> {
        Builder::new().build(&sorted(keys))
    }
}

/// The keys in ascending order; equal keys stay in theirs. Most comparisons end within eight bytes, which
/// compare as one number.
fn sorted(keys: Vec<(&[u8], u32)>) -> Vec<(&[u8], u32)> {
    let beginning = |key: &[u8]| {
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(key).for_each(|(byte, of_key)| *byte = *of_key);
        u64::from_be_bytes(bytes)
    };
    let mut order: Vec<(u64, usize)> =
        keys.iter().enumerate().map(|(at, (key, _))| (beginning(key), at)).collect();
    order.sort_unstable_by(|a, b| {
        a.0.cmp(&b.0).then_with(|| keys[a.1].0.cmp(keys[b.1].0)).then(a.1.cmp(&b.1))
    });
    order.into_iter().map(|(_, at)| keys[at]).collect()
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
