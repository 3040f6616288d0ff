//! The dot product of bytes (SDOT), which is a step of int8 products as it is. Everything else is that of NEON.
//!
//! SDOT is an inline instruction, because its intrinsic isn't stable.

use crate::isa::neon::{self, product_128};
use crate::isa::table::IsaFunctions;

pub(crate) mod steps {
    crate::isa::operations::steps! { "neon,dotprod", crate::isa::neon::lanes;
        int8: [int32x4_t; 4], int8x16_t,
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
                pub(crate) use crate::isa::neon::by_fours::{four_groups, no_groups, quarter};

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
            };
    }
}

product_128!(int8, "neon,dotprod", crate::isa::dotprod::steps::int8, crate::isa::neon::by_fours::by_fours);

pub(crate) static TABLE: IsaFunctions = IsaFunctions { int8: int8::multiply, ..neon::TABLE };
