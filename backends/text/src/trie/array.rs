//! The double array of a trie, and the walk from its root.

/// Bits of a label, one more than a byte has: no byte equals the label of an empty unit.
pub(super) const LABEL_BITS: u32 = 9;

/// Id of a node that ends no key.
pub(super) const NO_ID: u32 = u32::MAX;

#[derive(Clone, Copy)]
pub(super) struct Unit {
    /// Base and label: `base << LABEL_BITS | label`. Nodes without children have base 0, and block 0 stays
    /// empty.
    pub(super) link: u32,
    pub(super) id: u32,
}

/// A trie from byte strings to ids.
pub(crate) struct Trie {
    pub(super) units: Vec<Unit>,
    pub(super) root: u32,
}

impl Trie {
    /// Calls `found(length, id)` for each key at the start of `text`, shorter keys first.
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

    /// The id of `key`.
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

/// Result of a step.
pub(crate) enum Step {
    /// No key has this prefix.
    Out,
    /// Longer keys have this prefix.
    Inside,
    /// A key ends here; longer keys may have it as a prefix.
    Key(u32),
}

/// A walk from the root of a trie.
pub(crate) struct Walk<'a> {
    units: &'a [Unit],
    base: u32,
}

impl Walk<'_> {
    /// Steps by one byte. [`Step::Out`] ends the walk.
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
