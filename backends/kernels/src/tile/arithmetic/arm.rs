//! The steps on 64-bit Arm.
//!
//! Plain NEON multiplies bytes into 16-bit lanes: a pair of products is at most 2·127·127 = 32,258, so that its
//! 16-bit sum is exact. Words are multiplied column by column. The dot product of bytes (SDOT) is a step as it
//! is. The product of matrices of bytes (SMMLA) takes two rows and two groups at once: see `by_pairs!`.
//!
//! SDOT and SMMLA are inline instructions, because their intrinsics aren't stable.

/// What `by_fours!` needs of each precision besides its step.
mod fours {
    use crate::lanes::Block;
    use std::arch::aarch64::*;

    #[inline]
    #[target_feature(enable = "neon")]
    pub(crate) fn no_groups() -> int8x16_t {
        vdupq_n_s8(0)
    }

    /// Four groups of a row from `g` on.
    ///
    /// # Safety
    /// The row must have more than `g + 3` groups.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(crate) unsafe fn four_groups(row: *const u8, g: usize) -> int8x16_t {
        // SAFETY: the caller says that these sixteen bytes are within the row; the load needs no alignment.
        unsafe { vld1q_s8(row.wrapping_add(4 * g).cast()) }
    }

    /// Four of sixteen columns.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(crate) fn quarter(block: &Block, q: usize) -> int8x16_t {
        // SAFETY: sixteen of 64 bytes are there; the load needs no alignment.
        unsafe { vld1q_s8(block.0[16 * q..].as_ptr().cast()) }
    }
}

pub(crate) mod neon {
    arithmetic!(int8, "neon", neon, [int32x4_t; 4], int8x16_t,
        spread(a) { vreinterpretq_s8_s32(vdupq_n_s32(a)) },
        step(sum, a, b) {
            let b = lanes::load_bytes(b);
            std::array::from_fn(|q| {
                let low = vmull_s8(vget_low_s8(b[q]), vget_low_s8(a));
                vpadalq_s16(sum[q], vpaddq_s16(low, vmull_high_s8(b[q], a)))
            })
        },
        start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) });
    arithmetic!(int16, "neon", neon, [int32x4_t; 4], int16x4_t,
        spread(a) { vreinterpret_s16_s32(vdup_n_s32(a)) },
        step(sum, a, b) {
            let b = lanes::load_bytes(b).map(|b| vreinterpretq_s16_s8(b));
            // The compiler separates first and second values once for all rows of a tile.
            let [low, high] = [0, 2].map(|q| {
                let (first, second) = (vuzp1q_s16(b[q], b[q + 1]), vuzp2q_s16(b[q], b[q + 1]));
                let low = vmlal_lane_s16::<0>(sum[q], vget_low_s16(first), a);
                let high = vmlal_high_lane_s16::<0>(sum[q + 1], first, a);
                [vmlal_lane_s16::<1>(low, vget_low_s16(second), a), vmlal_high_lane_s16::<1>(high, second, a)]
            });
            [low[0], low[1], high[0], high[1]]
        },
        start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) });
    arithmetic!(f32, "neon", neon, [float32x4_t; 4], float32x4_t,
    spread(a) { vdupq_n_f32(f32::from_bits(a as u32)) },
    step(sum, a, b) {
        let b = lanes::load_block(b);
        std::array::from_fn(|q| vfmaq_f32(sum[q], b[q], a))
    },
    start(from) { lanes::load_i(from).map(|from| vreinterpretq_f32_s32(from)) }, to_f(sum) { sum },
    also {
        pub(crate) use super::super::fours::*;

        #[inline]
        #[target_feature(enable = "neon")]
        pub(crate) fn step_of<const AT: i32>(sum: float32x4_t, a: int8x16_t, b: int8x16_t) -> float32x4_t {
            vfmaq_laneq_f32::<AT>(sum, vreinterpretq_f32_s8(b), vreinterpretq_f32_s8(a))
        }
    });
}

pub(crate) mod dotprod {
    arithmetic!(int8, "neon,dotprod", neon, [int32x4_t; 4], int8x16_t,
    spread(a) { vreinterpretq_s8_s32(vdupq_n_s32(a)) },
    step(sum, a, b) {
        let (mut sum, b) = (sum, lanes::load_bytes(b));
        for q in 0..4 {
            // SAFETY: one instruction between registers, of a set that was found.
            unsafe {
                std::arch::asm!("sdot {0:v}.4s, {1:v}.16b, {2:v}.16b",
                    inout(vreg) sum[q], in(vreg) b[q], in(vreg) a,
                    options(pure, nomem, nostack, preserves_flags));
            }
        }
        sum
    },
    start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) },
    also {
        pub(crate) use super::super::fours::*;

        #[inline]
        #[target_feature(enable = "neon,dotprod")]
        pub(crate) fn step_of<const AT: i32>(mut sum: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
            // SAFETY: one instruction between registers, of a set that was found.
            unsafe {
                std::arch::asm!("sdot {0:v}.4s, {1:v}.16b, {2:v}.4b[{3}]",
                    inout(vreg) sum, in(vreg) b, in(vreg) a, const AT,
                    options(pure, nomem, nostack, preserves_flags));
            }
            sum
        }
    });
}

pub(crate) mod i8mm {
    /// The step of SDOT, which serves single rows and single groups, and what `by_pairs!` needs besides.
    pub(crate) mod int8 {
        pub(crate) use super::super::dotprod::int8::{Sum, spread, start, step, to_f};
        use crate::lanes::{Block, neon as lanes};
        use std::arch::aarch64::*;

        /// Sums of two rows and sixteen columns: in a register, two columns of the first row, then of the
        /// second.
        pub(crate) type PairSum = [int32x4_t; 8];

        #[inline]
        #[target_feature(enable = "neon")]
        pub(crate) fn no_pair() -> PairSum {
            [vdupq_n_s32(0); 8]
        }

        #[inline]
        #[target_feature(enable = "neon")]
        pub(crate) fn no_rows() -> int8x16_t {
            vdupq_n_s8(0)
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
            let [first, second] =
                [first, second].map(|b| lanes::load_bytes(b).map(|b| vreinterpretq_s32_s8(b)));
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
}
