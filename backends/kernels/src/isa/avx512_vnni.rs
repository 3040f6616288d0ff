//! AVX-512-VNNI: AVX-512BW with instructions that multiply integers and add the products at once. It has integer
//! steps of its own, and shares everything else with AVX-512BW.
//!
//! VNNI multiplies unsigned with signed bytes: int8 activations are stored with 128 added, and their sums start at
//! -128 times the column's sum. Quanta of 8 bits, which have no sign, multiply as they are.
//!
//! The dot product of words is written as an inline instruction. The compiler splits a chain of the intrinsic
//! into a product and a sum, which is shorter for one chain and twice the work for two dozen chains.

use crate::isa::avx512bw::{self, products_512};
use crate::isa::table::IsaFunctions;

pub(crate) mod steps {
    crate::isa::operations::steps! {
        "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni", crate::isa::avx512bw::lanes;
        int8: __m512i, __m512i,
            spread(a) { _mm512_set1_epi32(a) },
            step(sum, a, b) { _mm512_dpbusd_epi32(sum, a, lanes::load_bytes(b)) },
            start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) };
        int16: __m512i, __m512i,
            spread(a) { _mm512_set1_epi32(a) },
            step(sum, a, b) {
                let (mut sum, b) = (sum, lanes::load_bytes(b));
                // SAFETY: one instruction between registers, of a set that was found.
                unsafe {
                    std::arch::asm!("vpdpwssd {0}, {1}, {2}", inout(zmm_reg) sum, in(zmm_reg) a, in(zmm_reg) b,
                        options(pure, nomem, nostack, preserves_flags));
                }
                sum
            },
            start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) };
    }

    pub(crate) mod scaled {
        use crate::isa::avx512bw::lanes::{self, I};
        pub(crate) use crate::isa::avx512bw::steps::scaled::{Quanta, add, halves, high, low, start};
        use crate::lanes::Block;
        use std::arch::x86_64::*;

        pub(crate) const LESS: i32 = 0;

        crate::isa::operations::operations! { "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni",
            fn whole(block: &Block) -> Quanta { lanes::load_bytes(block) }
            fn step_4(sums: I, quanta: Quanta, four: i32) -> I { step_8(sums, quanta, four) }
            fn step_8(sums: I, quanta: Quanta, four: i32) -> I {
                _mm512_dpbusd_epi32(sums, quanta, _mm512_set1_epi32(four))
            }
        }
    }
}

products_512! { "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni",
    int8: crate::isa::avx512_vnni::steps::int8, by_groups;
    int16: crate::isa::avx512_vnni::steps::int16, by_groups;
}
crate::scaled::scaled!([#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]],
    crate::isa::avx512bw::lanes, crate::isa::avx512_vnni::steps::scaled, rows: 8, sums: 2);

pub(crate) static TABLE: IsaFunctions = IsaFunctions {
    flip: 0x80,
    int8: int8::multiply,
    int16: int16::multiply,
    scaled: &scaled::FUNCTIONS,
    ..avx512bw::TABLE
};
