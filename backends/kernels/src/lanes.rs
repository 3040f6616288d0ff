//! Sixteen lanes of 32 bits: the only vector that the algorithms of this crate use.
//!
//! Four paths of `isa` have a module `lanes` with the same list of operations: on one 512-bit register (`avx512bw`), on
//! two 256-bit registers (`avx2`), on four 128-bit registers (`neon`), or on an array (`scalar`, the specification). An
//! algorithm is a macro body over one of them, compiled once for each. All give the same bits, for two reasons. Each
//! operation is exact or rounded once by IEEE 754 (sum, product, quotient, root, fused multiply-add). And
//! reductions fold the sixteen lanes in one order.
//!
//! All of them share three conventions, which are those of the hardware. `max(a, b)` and `min(a, b)` give `b`
//! if either is NaN. `load` of fewer than sixteen values fills the rest with zeros. `store` into fewer than
//! sixteen values writes only those.

/// Number of values in a vector.
pub(crate) const LANES: usize = 16;

/// One vector of packed weights: a cache line, and a 512-bit register.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [u8; 64]);

impl Block {
    pub(crate) const ZERO: Self = Self([0; 64]);

    /// Adds to `sums` the four signed bytes of each lane, with 128 added to each byte. Plain arithmetic on
    /// whole lanes is vectorised for any processor.
    #[inline]
    pub(crate) fn add_bytes_to(&self, sums: &mut [u32; LANES]) {
        const LOWER: u32 = 0x00FF_00FF; // the lower byte of each half of a lane
        for (sum, four) in sums.iter_mut().zip(self.0.as_chunks::<4>().0) {
            let bytes = u32::from_le_bytes(*four) ^ 0x8080_8080;
            let pairs = (bytes & LOWER) + (bytes >> 8 & LOWER);
            *sum += (pairs & 0xFFFF) + (pairs >> 16);
        }
    }

    /// The bytes of adjacent blocks.
    pub(crate) fn bytes(blocks: &[Self]) -> &[u8] {
        // SAFETY: a block is 64 initialised bytes and nothing else, and bytes need no alignment.
        unsafe { std::slice::from_raw_parts(blocks.as_ptr().cast(), size_of_val(blocks)) }
    }

    /// As [`Self::bytes`], writable.
    pub(crate) fn bytes_mut(blocks: &mut [Self]) -> &mut [u8] {
        // SAFETY: as above; every pattern of bits is valid for a block.
        unsafe { std::slice::from_raw_parts_mut(blocks.as_mut_ptr().cast(), size_of_val(blocks)) }
    }
}

/// Reduces sixteen partial results to one, in the one order of this crate: halves are folded onto each other,
/// 8, 4, 2, 1.
pub(crate) fn fold(mut lanes: [f32; LANES], join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            lanes[lane] = join(lanes[lane], lanes[lane + width]);
        }
    }
    lanes[0]
}
