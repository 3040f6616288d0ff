//! Sixteen lanes of 32 bits, the only vector that algorithms of this crate know.
//!
//! Each module here is the same list of operations: one 512-bit register (`avx512`), two of 256 bits (`avx2`), or an
//! array (`scalar`, the specification). An algorithm is a macro body over one of them, compiled once per instruction
//! set. Since every operation is either exact or rounded once by IEEE 754 (sum, product, quotient, root, fused
//! multiply-add), and reductions fold the sixteen lanes in one order, all modules give the same bits.
//!
//! Conventions that all modules share: `max(a, b)` and `min(a, b)` answer `b` if either is not a number, as the
//! hardware does; `load` of fewer than sixteen values fills with zero; `store` into fewer writes only those.

pub(crate) mod scalar;

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;

/// Values in a vector.
pub(crate) const LANES: usize = 16;

/// What one vector of a packed weight takes: a cache line, and a 512-bit register.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [u8; 64]);

impl Block {
    pub(crate) const ZERO: Self = Self([0; 64]);

    /// The bytes of blocks that lie side by side.
    pub(crate) fn bytes(blocks: &[Self]) -> &[u8] {
        // SAFETY: a block is 64 initialised bytes and nothing else, and bytes need no alignment.
        unsafe { std::slice::from_raw_parts(blocks.as_ptr().cast(), size_of_val(blocks)) }
    }
}

/// The one order in which sixteen partial results become one: halves are folded onto each other, 8, 4, 2, 1.
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
