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

    /// Whether the set has a position.
    pub(super) fn has(self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 == 1
    }

    /// The lowest position that is in this set and in the other one moved by `byte`, and that `suits`.
    #[inline]
    pub(super) fn find_in_moved(
        &self,
        other: &Self,
        byte: u8,
        suits: impl Fn(&usize) -> bool,
    ) -> Option<usize> {
        (0..4).find_map(|word| {
            let mut bits = self.0[word];
            if bits != 0 {
                bits &= other.moved_word(word, byte);
            }
            while bits != 0 {
                let place = 64 * word + bits.trailing_zeros() as usize;
                if suits(&place) {
                    return Some(place);
                }
                bits &= bits - 1;
            }
            None
        })
    }

    /// A word of the set whose positions `i` are moved to `i ^ byte`. The upper two bits of the byte move whole
    /// words; each of the lower six bits swaps the halves of words that differ in it.
    #[inline]
    fn moved_word(&self, word: usize, byte: u8) -> u64 {
        /// Bits whose number has bit 0, 1, … 5 clear.
        const LOWER: [u64; 6] = [
            0x5555_5555_5555_5555,
            0x3333_3333_3333_3333,
            0x0F0F_0F0F_0F0F_0F0F,
            0x00FF_00FF_00FF_00FF,
            0x0000_FFFF_0000_FFFF,
            0x0000_0000_FFFF_FFFF,
        ];
        let mut bits = self.0[word ^ usize::from(byte >> 6)];
        for (step, lower) in LOWER.into_iter().enumerate() {
            let swapped = (bits & lower) << (1 << step) | (bits >> (1 << step)) & lower;
            let swaps = u64::from(byte >> step & 1).wrapping_neg(); // a branch would be guessed wrongly
            bits ^= (bits ^ swapped) & swaps;
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_moved_by_any_byte() {
        let mut set = Set::FULL;
        (0..BLOCK).filter(|place| place * place % 7 > 1).for_each(|place| set.remove(place));
        let other = (0..BLOCK).filter(|place| place % 5 == 1);
        let mut fifths = Set::FULL;
        other.for_each(|place| fifths.remove(place));
        for byte in 0..=255u8 {
            let inside = |place: usize| fifths.has(place) && set.has(place ^ usize::from(byte));
            let mut least = 0;
            while let Some(found) = fifths.find_in_moved(&set, byte, |place| *place >= least) {
                assert_eq!((least..BLOCK).find(|place| inside(*place)), Some(found), "{byte}");
                least = found + 1;
            }
            assert!(!(least..BLOCK).any(inside), "{byte}");
        }
    }
}
