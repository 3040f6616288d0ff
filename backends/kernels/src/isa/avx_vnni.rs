//! AVX-VNNI: AVX2 with instructions that multiply integers and add the products at once. It has integer steps of
//! its own, in the form that `avx512_vnni` describes, and shares everything else with AVX2.

use crate::isa::avx2::{self, products_256};
use crate::isa::table::IsaFunctions;

pub(crate) mod steps {
    crate::isa::operations::steps! { "avx2,fma,avxvnni", crate::isa::avx2::lanes;
        int8: [__m256i; 2], __m256i,
            spread(a) { _mm256_set1_epi32(a) },
            step(sum, a, b) {
                let b = lanes::load_bytes(b);
                [_mm256_dpbusd_avx_epi32(sum[0], a, b[0]), _mm256_dpbusd_avx_epi32(sum[1], a, b[1])]
            },
            start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) };
        int16: [__m256i; 2], __m256i,
            spread(a) { _mm256_set1_epi32(a) },
            step(sum, a, b) {
                let ([mut low, mut high], b) = (sum, lanes::load_bytes(b));
                // SAFETY: one instruction between registers, of a set that was found.
                unsafe {
                    std::arch::asm!("{{vex}} vpdpwssd {0}, {1}, {2}", inout(ymm_reg) low, in(ymm_reg) a, in(ymm_reg) b[0],
                        options(pure, nomem, nostack, preserves_flags));
                }
                // SAFETY: as above.
                unsafe {
                    std::arch::asm!("{{vex}} vpdpwssd {0}, {1}, {2}", inout(ymm_reg) high, in(ymm_reg) a, in(ymm_reg) b[1],
                        options(pure, nomem, nostack, preserves_flags));
                }
                [low, high]
            },
            start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) };
    }

    pub(crate) mod scaled {
        use crate::isa::avx2::lanes::{self, I};
        pub(crate) use crate::isa::avx2::steps::scaled::{Quanta, add, halves, high, low, start};
        use crate::lanes::Block;
        use std::arch::x86_64::*;

        pub(crate) const LESS: i32 = 0;

        crate::isa::operations::operations! { "avx2,fma,avxvnni",
            fn whole(block: &Block) -> Quanta { lanes::load_bytes(block) }
            fn step_4(sums: I, quanta: Quanta, four: i32) -> I { step_8(sums, quanta, four) }
            fn step_8(sums: I, quanta: Quanta, four: i32) -> I {
                let four = _mm256_set1_epi32(four);
                let half = |at: usize| _mm256_dpbusd_avx_epi32(sums[at], quanta[at], four);
                [half(0), half(1)]
            }
        }
    }
}

products_256! { "avx2,fma,avxvnni",
    int8: crate::isa::avx_vnni::steps::int8, by_groups;
    int16: crate::isa::avx_vnni::steps::int16, by_groups;
}
crate::scaled::scaled!([#[target_feature(enable = "avx2,fma,avxvnni")]], crate::isa::avx2::lanes,
    crate::isa::avx_vnni::steps::scaled, rows: 4, sums: 1);

pub(crate) static TABLE: IsaFunctions = IsaFunctions {
    flip: 0x80,
    int8: int8::multiply,
    int16: int16::multiply,
    scaled: &scaled::FUNCTIONS,
    ..avx2::TABLE
};
