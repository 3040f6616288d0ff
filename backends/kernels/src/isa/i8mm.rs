//! The product of matrices of bytes (SMMLA), which takes two rows and two groups of int8 products at once. Single
//! rows and single groups take SDOT, and everything else is that of NEON.
//!
//! SMMLA is an inline instruction, because its intrinsic isn't stable.

use crate::isa::neon::{self, product_128};
use crate::isa::table::IsaFunctions;

/// Walks through K by pairs of groups, with pairs of rows. A row without a partner is its own partner, whose
/// sums are dropped. A single row, and a last group without a partner, are walked through by groups.
macro_rules! by_pairs {
    (rows) => {
        crate::tile::walk::PlainRows
    };
    ($rows:ident, $vectors:ident, $job:ident, $a:ident, $panel:ident, $first:ident, $soon:ident, $sums:ident) => {
        let paired = if $rows > 1 { $job.groups / 2 * 2 } else { 0 };
        let mut pairs = [[steps::no_pair(); $vectors]; $rows]; // of which each second stays unused
        for g in (0..paired).step_by(2) {
            if let Some(soon) = $soon {
                for next in 0..$vectors {
                    lanes::prefetch(soon.group(g).wrapping_add(next));
                    lanes::prefetch(soon.group(g + 1).wrapping_add(next));
                }
            }
            // SAFETY: the panel has both groups, and in each VECTORS blocks from the first.
            let [even, odd]: [&[Block; $vectors]; 2] = [g, g + 1].map(|g| unsafe { $panel.group(g, $first) });
            let mut two = [steps::no_rows(); $rows]; // as above
            each_row!($rows, I, {
                if I % 2 == 0 {
                    let rows = [$a[I], $a[if I + 1 < $rows { I + 1 } else { I }]];
                    // SAFETY: `row_starts` answers for as many groups as the panel has.
                    two[I] = unsafe { steps::two_rows(rows, g) };
                }
            });
            for v in 0..$vectors {
                // Columns in the outer loop: their registers are free again after a step of each pair of rows.
                for (c, b) in steps::two_groups(&even[v], &odd[v]).into_iter().enumerate() {
                    each_row!($rows, I, {
                        if I % 2 == 0 {
                            pairs[I][v][c] = steps::step_pair(pairs[I][v][c], two[I], b);
                        }
                    });
                }
            }
        }
        each_row!($rows, I, {
            for v in 0..$vectors {
                $sums[I][v] = steps::add_of_pair($sums[I][v], pairs[I / 2 * 2][v], I % 2);
            }
        });
        crate::tile::walk::by_groups!($rows, $vectors, paired..$job.groups, $a, $panel, $first, $soon, $sums)
    };
}
pub(crate) use by_pairs;

/// The step of SDOT, and what `by_pairs!` needs besides.
pub(crate) mod steps {
    pub(crate) use crate::isa::dotprod::steps::int8::{Sum, spread, start, step, to_f};
    use crate::isa::neon::lanes;
    use crate::lanes::Block;
    use std::arch::aarch64::*;

    /// Sums of two rows and sixteen columns: in a register, two columns of the first row, then of the
    /// second.
    pub(crate) type PairSum = [int32x4_t; 8];

    crate::isa::operations::operations! { "neon",
        fn no_pair() -> PairSum { [vdupq_n_s32(0); 8] }
        fn no_rows() -> int8x16_t { vdupq_n_s8(0) }
    }

    /// Groups `g` and `g + 1` of two rows.
    ///
    /// # Safety
    /// The rows must have more than `g + 1` groups.
    #[inline]
    #[target_feature(enable = "neon,dotprod,i8mm")]
    pub(crate) unsafe fn two_rows(rows: [*const u8; 2], g: usize) -> int8x16_t {
        // SAFETY: the caller says that these eight bytes are within the row; the load needs no alignment.
        let [first, second] = rows.map(|row| unsafe { vld1_s8(row.wrapping_add(4 * g).cast()) });
        vcombine_s8(first, second)
    }

    /// Two groups of sixteen columns: in a register, both groups of one column, then of the next.
    #[inline]
    #[target_feature(enable = "neon,dotprod,i8mm")]
    pub(crate) fn two_groups(first: &Block, second: &Block) -> [int8x16_t; 8] {
        let [first, second] = [first, second].map(|b| lanes::load_bytes(b).map(|b| vreinterpretq_s32_s8(b)));
        let pair = |q: usize| [vzip1q_s32(first[q], second[q]), vzip2q_s32(first[q], second[q])];
        let [a, b, c, d] = [pair(0), pair(1), pair(2), pair(3)];
        [a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]].map(|b| vreinterpretq_s8_s32(b))
    }

    #[inline]
    #[target_feature(enable = "neon,dotprod,i8mm")]
    pub(crate) fn step_pair(mut sum: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
        // SAFETY: one instruction between registers, of a set that was found.
        unsafe {
            std::arch::asm!("smmla {0:v}.4s, {1:v}.16b, {2:v}.16b",
                inout(vreg) sum, in(vreg) a, in(vreg) b,
                options(pure, nomem, nostack, preserves_flags));
        }
        sum
    }

    /// Adds the sums of one row of a pair.
    #[inline]
    #[target_feature(enable = "neon,dotprod,i8mm")]
    pub(crate) fn add_of_pair(sum: Sum, pair: PairSum, row: usize) -> Sum {
        let pair = pair.map(|sums| vreinterpretq_s64_s32(sums));
        std::array::from_fn(|q| {
            let (low, high) = (pair[2 * q], pair[2 * q + 1]);
            let own = if row == 0 { vzip1q_s64(low, high) } else { vzip2q_s64(low, high) };
            vaddq_s32(sum[q], vreinterpretq_s32_s64(own))
        })
    }
}

product_128!(int8, "neon,dotprod,i8mm", crate::isa::i8mm::steps, crate::isa::i8mm::by_pairs);

pub(crate) static TABLE: IsaFunctions = IsaFunctions { int8: int8::multiply, ..neon::TABLE };
