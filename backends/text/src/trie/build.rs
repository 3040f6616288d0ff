//! Building a trie: a place is sought for the children of each node, where all of them find free units.

use std::collections::VecDeque;

use super::array::{LABEL_BITS, NO_ID, Trie, Unit};
use super::set::{BLOCK, Set};
use crate::{Error, Result};

/// Blocks in which a free place is still looked for. More pack tighter but build slower; with 16 blocks, and without
/// the nearly full ones, 95 in 100 units are used.
const OPEN_BLOCKS: usize = 16;

/// With so few free units a block isn't searched any more: what is left rarely fits, and looking for it would take
/// two thirds of the time to build.
const NEARLY_FULL: usize = 12;

/// The label of an empty unit.
const EMPTY: u32 = 0x100;

/// Bases take the bits that the label leaves: 8 million units, a hundred times a usual vocabulary.
const MAX_UNITS: usize = 1 << (32 - LABEL_BITS);

/// Keys `from..to` share their first `depth` bytes; the unit at `unit` stands for that prefix.
struct Pending {
    unit: usize,
    depth: usize,
    from: usize,
    to: usize,
}

/// See the module.
pub(super) struct Builder {
    units: Vec<Unit>,
    /// Bases that no node owns, by block.
    unowned: Vec<Set>,
    /// Free units, by block.
    free: Vec<Set>,
    /// Blocks that are still searched.
    open: VecDeque<usize>,
}

impl Builder {
    pub(super) fn new() -> Self {
        let mut builder = Self { units: vec![], unowned: vec![], free: vec![], open: VecDeque::new() };
        builder.add_block();
        builder.open.clear(); // block 0 stays empty
        builder
    }

    /// A trie of `keys`, which are sorted. Breadth first, so that the nodes near the root, which every walk visits, lie close together.
    pub(super) fn build(mut self, keys: &[(&[u8], u32)]) -> Result<Trie> {
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
