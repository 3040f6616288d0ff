//! AVX-512-BF16: AVX-512-VNNI with an instruction for bf16 products, in the one order of their sums.
//!
//! The instruction takes values below the smallest normal number, 1.2e-38, for 0. Other code doesn't, so that its
//! bits may differ in sums as small as that.

use crate::isa::avx512_vnni;
use crate::isa::avx512bw::products_512;
use crate::isa::table::IsaFunctions;

pub(crate) mod steps {
    use std::arch::x86_64::{__m512bh, __m512i};

    /// Thirty-two bf16 values, which lie as bytes do.
    #[inline]
    fn values(bytes: __m512i) -> __m512bh {
        // SAFETY: both are 64 bytes, and each pattern of bits is a value.
        unsafe { std::mem::transmute::<__m512i, __m512bh>(bytes) }
    }

    crate::isa::operations::steps! {
        "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512bf16", crate::isa::avx512bw::lanes;
        bf16: __m512, __m512i,
            spread(a) { _mm512_set1_epi32(a) },
            step(sum, a, b) { _mm512_dpbf16_ps(sum, super::values(a), super::values(lanes::load_bytes(b))) },
            start(from) { _mm512_castsi512_ps(lanes::load_i(from)) }, to_f(sum) { sum };
    }
}

products_512! { "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512bf16",
    bf16: crate::isa::avx512_bf16::steps::bf16, by_groups;
}

pub(crate) static TABLE: IsaFunctions = IsaFunctions { bf16: bf16::multiply, ..avx512_vnni::TABLE };
