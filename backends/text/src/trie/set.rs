//! Sets of positions in a block of units, with operations on whole words of bits.

/// Number of units in a block: the children of one node share a block, because their positions differ in
/// eight bits.
pub(super) const BLOCK: usize = 256;

/// A set of a block's 256 positions, a bit for each.
#[derive(Clone, Copy)]
pub(super) struct Set([u64; 4]);

impl Set {
    /// The set of all positions.
    pub(super) const FULL: Self = Self([u64::MAX; 4]);

    /// Removes a position.
    pub(super) fn remove(&mut self, place: usize) {
        self.0[place / 64] &= !(1 << (place % 64));
    }

    /// The lowest position.
    pub(super) fn first(self) -> Option<usize> {
        let word = self.0.iter().position(|bits| *bits != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }

    /// The intersection of two sets.
    pub(super) fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// Moves each position `i` to `i ^ byte`. The upper two bits of the byte move whole words; each of the
    /// lower six bits swaps the halves of words that differ in it.
    pub(super) fn moved(self, byte: u8) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(set.first(), Some(0));
    }
}
