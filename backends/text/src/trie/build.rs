//! Building of a trie: for the children of each node, the builder searches a base under which all of them
//! find free units.

use std::collections::VecDeque;

use super::array::{LABEL_BITS, NO_ID, Trie, Unit};
use super::set::{BLOCK, Set};
use crate::{Error, Result};

/// Number of blocks that are searched for a base. More blocks pack tighter and build slower. With 16 blocks,
/// and without nearly full ones, 95 % of the units are used.
const OPEN_BLOCKS: usize = 16;

/// Number of free units down to which a block is searched: its units rarely fit, and searching it would take
/// two thirds of the time to build.
const NEARLY_FULL: usize = 12;

/// Label of an empty unit.
const EMPTY: u32 = 0x100;

/// Greatest number of units, by the bits that labels leave for bases: 8 million, a hundred times a usual
/// vocabulary.
const MAX_UNITS: usize = 1 << (32 - LABEL_BITS);

/// A node without children so far: keys `from..to` share their first `depth` bytes, and `unit` is the unit of
/// that prefix.
struct Pending {
    unit: usize,
    depth: usize,
    from: usize,
    to: usize,
}

/// A trie that is being built.
pub(super) struct Builder {
    units: Vec<Unit>,
    /// Bases without an owner, for each block.
    unowned: Vec<Set>,
    /// Free units of each block.
    free: Vec<Set>,
    /// Number of free units of each block.
    free_units: Vec<usize>,
    /// Blocks that are searched.
    open: VecDeque<usize>,
}

impl Builder {
    pub(super) fn new() -> Self {
        let (unowned, free, free_units) = (vec![], vec![], vec![]);
        let mut builder = Self { units: vec![], unowned, free, free_units, open: VecDeque::new() };
        builder.add_block();
        builder.open.clear(); // block 0 stays empty
        builder
    }

    /// Builds the trie of sorted `keys`, breadth first, so that the nodes near the root, which every walk
    /// visits, are adjacent.
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
        self.take(unit / BLOCK, unit % BLOCK);
        while from < to && keys[from].0.len() == depth {
            self.units[unit].id = keys[from].1;
            from += 1;
        }
        Pending { unit, depth, from, to }
    }

    /// Takes a free unit. A block that is nearly full isn't searched any more.
    fn take(&mut self, block: usize, place: usize) {
        self.free[block].remove(place);
        self.free_units[block] -= 1;
        if self.free_units[block] == NEARLY_FULL {
            self.open.retain(|open| *open != block);
        }
    }

    /// Finds a base under which all children have free units, and takes it.
    fn place(&mut self, children: &[(u8, usize, usize)]) -> Result<usize> {
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

    /// The bases with a free unit for the first child are the block's free units, each moved by XOR with the
    /// child's byte. So many bases are tested at once, and most nodes have no other child. Otherwise the bases
    /// that are left are tried one by one.
    fn place_in(&self, block: usize, children: &[(u8, usize, usize)]) -> Option<usize> {
        if self.free_units[block] < children.len() {
            return None;
        }
        let (free, (first, others)) = (&self.free[block], children.split_first()?);
        let suits = |base: &usize| others.iter().all(|(byte, ..)| free.has(base ^ usize::from(*byte)));
        let base = self.unowned[block].find_in_moved(free, first.0, suits)?;
        Some(block * BLOCK + base)
    }

    fn add_block(&mut self) -> usize {
        let block = self.free.len();
        self.units.resize(self.units.len() + BLOCK, Unit { link: EMPTY, id: NO_ID });
        self.unowned.push(Set::FULL);
        self.free.push(Set::FULL);
        self.free_units.push(BLOCK);
        self.open.push_back(block);
        if self.open.len() > OPEN_BLOCKS {
            self.open.pop_front();
        }
        block
    }
}

/// Groups the keys of `node` by their next byte: (byte, from, to).
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
