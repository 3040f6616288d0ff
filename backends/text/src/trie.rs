//! A double-array trie from byte strings to ids, built at load and walked for every position of every line.
//!
//! A node's children lie at `base ^ byte`, so one step is one load of eight bytes. Each node owns its base
//! alone; hence a child's label identifies its parent, and no parent pointer is needed. The arrangement is
//! the one of Aoe's double arrays with XOR as in darts-clone, but a node carries its id itself where
//! darts-clone spends a leaf node: half the loads where a match is found, which is at every second step.

use std::collections::VecDeque;

use crate::{Error, Result};

/// Children of one node share a block, since they differ in eight bits.
const BLOCK: usize = 256;

/// Blocks in which a free place is still looked for. More pack tighter but build slower; with 16 blocks, and without
/// the nearly full ones, 95 in 100 units are used.
const OPEN_BLOCKS: usize = 16;

/// With so few free units a block isn't searched any more: what is left rarely fits, and looking for it would take
/// two thirds of the time to build.
const NEARLY_FULL: usize = 12;

/// Label bits, one more than a byte: an empty unit has a label that no byte equals.
const LABEL_BITS: u32 = 9;

/// The label of an empty unit.
const EMPTY: u32 = 0x100;

/// Bases take the bits that the label leaves: 8 million units, a hundred times a usual vocabulary.
const MAX_UNITS: usize = 1 << (32 - LABEL_BITS);

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

/// Keys `from..to` share their first `depth` bytes; the unit at `unit` stands for that prefix.
struct Pending {
    unit: usize,
    depth: usize,
    from: usize,
    to: usize,
}

struct Builder {
    units: Vec<Unit>,
    /// Bases that no node owns, by block.
    unowned: Vec<Set>,
    /// Free units, by block.
    free: Vec<Set>,
    /// Blocks that are still searched.
    open: VecDeque<usize>,
}

impl Builder {
    fn new() -> Self {
        let mut builder = Self { units: vec![], unowned: vec![], free: vec![], open: VecDeque::new() };
        builder.add_block();
        builder.open.clear(); // block 0 stays empty
        builder
    }

    /// Breadth first, so that the nodes near the root, which every walk visits, lie close together.
    fn build(mut self, keys: &[(&[u8], u32)]) -> Result<Trie> {
        let mut queue = VecDeque::from([Pending { unit: 0, depth: 0, from: 0, to: keys.len() }]);
        let mut children = Vec::new();
        let mut root = 0;
        while let Some(node) = queue.pop_front() {
            collect_children(keys, &node, &mut children);
            if children.is_empty() {
                continue;
            }
            let base = self.place(&children)?;
            if node.depth == 0 {
                root = base as u32;
            } else {
                self.units[node.unit].link |= (base as u32) << LABEL_BITS;
            }
            for &(byte, from, to) in &children {
                queue.push_back(self.add_child(keys, base, byte, node.depth + 1, from, to));
            }
        }
        Ok(Trie { units: self.units, root })
    }

    fn add_child(
        &mut self,
        keys: &[(&[u8], u32)],
        base: usize,
        byte: u8,
        depth: usize,
        mut from: usize,
        to: usize,
    ) -> Pending {
        let unit = base ^ usize::from(byte);
        self.units[unit] = Unit { link: u32::from(byte), id: NO_ID };
        self.free[unit / BLOCK].remove(unit % BLOCK);
        while from < to && keys[from].0.len() == depth {
            self.units[unit].id = keys[from].1;
            from += 1;
        }
        Pending { unit, depth, from, to }
    }

    /// A base under which all children find a free unit; it becomes owned.
    fn place(&mut self, children: &[(u8, usize, usize)]) -> Result<usize> {
        self.open.retain(|&block| self.free[block].len() > NEARLY_FULL);
        let found = self.open.iter().find_map(|&block| self.place_in(block, children));
        let base = match found {
            Some(base) => base,
            None if self.units.len() >= MAX_UNITS => {
                return Err(Error::model("pieces", "too many for this program's index"));
            }
            None => self.add_block() * BLOCK,
        };
        self.unowned[base / BLOCK].remove(base % BLOCK);
        Ok(base)
    }

    /// Where the child `byte` finds a free unit is the block's free units, each moved by XOR with the byte: so all
    /// bases are tried at once.
    fn place_in(&self, block: usize, children: &[(u8, usize, usize)]) -> Option<usize> {
        let free = self.free[block];
        if free.len() < children.len() {
            return None;
        }
        let bases = children.iter().fold(self.unowned[block], |bases, child| bases.and(free.moved(child.0)));
        bases.first().map(|base| block * BLOCK + base)
    }

    fn add_block(&mut self) -> usize {
        let block = self.free.len();
        self.units.resize(self.units.len() + BLOCK, Unit { link: EMPTY, id: NO_ID });
        self.unowned.push(Set::FULL);
        self.free.push(Set::FULL);
        self.open.push_back(block);
        if self.open.len() > OPEN_BLOCKS {
            self.open.pop_front();
        }
        block
    }
}

/// Some of a block's 256 places, a bit for each.
#[derive(Clone, Copy)]
struct Set([u64; 4]);

impl Set {
    const FULL: Self = Self([u64::MAX; 4]);

    fn remove(&mut self, place: usize) {
        self.0[place / 64] &= !(1 << (place % 64));
    }

    fn len(self) -> usize {
        self.0.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    fn first(self) -> Option<usize> {
        let word = self.0.iter().position(|bits| *bits != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }

    fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// Each place `i` moved to `i ^ byte`: whole words by the upper two bits, and within words for each of the lower six
    /// those halves swapped that differ in it.
    fn moved(self, byte: u8) -> Self {
        /// Bits whose number has bit 0, 1, … 5 clear.
        const LOWER: [u64; 6] = [
            0x5555_5555_5555_5555,
            0x3333_3333_3333_3333,
            0x0F0F_0F0F_0F0F_0F0F,
            0x00FF_00FF_00FF_00FF,
            0x0000_FFFF_0000_FFFF,
            0x0000_0000_FFFF_FFFF,
        ];
        Self(std::array::from_fn(|word| {
            let mut bits = self.0[word ^ usize::from(byte >> 6)];
            for (step, lower) in LOWER.into_iter().enumerate().filter(|(step, _)| byte >> step & 1 == 1) {
                bits = (bits & lower) << (1 << step) | (bits >> (1 << step)) & lower;
            }
            bits
        }))
    }
}

/// Groups the keys of `node` that go on by their next byte: (byte, from, to).
fn collect_children(keys: &[(&[u8], u32)], node: &Pending, children: &mut Vec<(u8, usize, usize)>) {
    children.clear();
    for (i, (key, _)) in keys.iter().enumerate().take(node.to).skip(node.from) {
        let Some(&byte) = key.get(node.depth) else { continue };
        match children.last_mut() {
            Some((last, _, to)) if *last == byte => *to = i + 1,
            _ => children.push((byte, i, i + 1)),
        }
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
    fn a_set_is_moved_by_any_byte() {
        let mut set = Set::FULL;
        (0..BLOCK).filter(|place| place * place % 7 > 1).for_each(|place| set.remove(place));
        let has = |set: Set, place: usize| set.0[place / 64] >> (place % 64) & 1 == 1;
        for byte in 0..=255u8 {
            let moved = set.moved(byte);
            assert!(
                (0..BLOCK).all(|place| has(moved, place ^ usize::from(byte)) == has(set, place)),
                "{byte}"
            );
        }
        assert_eq!(
            (set.first(), set.len()),
            (Some(0), (0..BLOCK).filter(|place| place * place % 7 <= 1).count())
        );
    }

    #[test]
    fn an_empty_trie_finds_nothing() {
        let trie = Trie::build(vec![]).unwrap();
        assert_eq!(trie.get(b"a"), None);
        assert_eq!(trie.get(b""), None);
    }
}
