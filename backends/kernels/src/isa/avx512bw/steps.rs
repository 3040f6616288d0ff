//! The steps of products on AVX-512BW.
//!
//! Int8 products multiply |a| with sign(a)·b. A pair of such products is at most 2·127·127 = 32,258, so that the
//! saturating 16-bit sum never saturates.

crate::isa::operations::steps! { "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl", crate::isa::avx512bw::lanes;
    int8: __m512i, (__m512i, __mmask64),
        spread(a) {
            let a = _mm512_set1_epi32(a);
            (_mm512_abs_epi8(a), _mm512_movepi8_mask(a))
        },
        step(sum, a, b) {
            let b = lanes::load_bytes(b);
            let signed = _mm512_mask_sub_epi8(b, a.1, _mm512_setzero_si512(), b);
            let pairs = _mm512_maddubs_epi16(a.0, signed);
            _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
        },
        start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) };
    int16: __m512i, __m512i,
        spread(a) { _mm512_set1_epi32(a) },
        step(sum, a, b) { _mm512_add_epi32(sum, _mm512_madd_epi16(a, lanes::load_bytes(b))) },
        start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) };
    bf16: __m512, [__m512; 2],
        spread(a) {
            let [upper, lower] = [a & UPPER, a << 16];
            [_mm512_castsi512_ps(_mm512_set1_epi32(upper)), _mm512_castsi512_ps(_mm512_set1_epi32(lower))]
        },
        step(sum, a, b) {
            let b = lanes::load_bytes(b);
            let upper = _mm512_castsi512_ps(_mm512_and_si512(b, _mm512_set1_epi32(UPPER)));
            let lower = _mm512_castsi512_ps(_mm512_slli_epi32::<16>(b));
            _mm512_fmadd_ps(a[1], lower, _mm512_fmadd_ps(a[0], upper, sum))
        },
        start(from) { _mm512_castsi512_ps(lanes::load_i(from)) }, to_f(sum) { sum },
        also { const UPPER: i32 = 0xFFFF_0000_u32 as i32; };
    f32: __m512, __m512,
        spread(a) { _mm512_castsi512_ps(_mm512_set1_epi32(a)) },
        step(sum, a, b) { _mm512_fmadd_ps(a, lanes::load_block(b), sum) },
        start(from) { _mm512_castsi512_ps(lanes::load_i(from)) }, to_f(sum) { sum };
}

/// As on AVX2, quanta of 8 bits are taken less `LESS`, as magnitudes.
pub(crate) mod scaled {
    use crate::isa::avx512bw::lanes::{self, F, I};
    use crate::lanes::{Block, LANES};
    use std::arch::x86_64::*;

    pub(crate) type Quanta = __m512i;
    pub(crate) const LESS: i32 = 128;

    crate::isa::operations::operations! { "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl",
        fn start(x: i32) -> I { _mm512_set1_epi32(x) }
        fn add(a: I, b: I) -> I { _mm512_add_epi32(a, b) }
        fn low(block: &Block) -> Quanta {
            _mm512_and_si512(lanes::load_bytes(block), _mm512_set1_epi8(15))
        }
        fn high(block: &Block) -> Quanta {
            _mm512_and_si512(_mm512_srli_epi16::<4>(lanes::load_bytes(block)), _mm512_set1_epi8(15))
        }
        fn whole(block: &Block) -> Quanta {
            _mm512_xor_si512(lanes::load_bytes(block), _mm512_set1_epi8(i8::MIN))
        }
        fn step_4(sums: I, quanta: Quanta, four: i32) -> I {
            widen(sums, _mm512_maddubs_epi16(quanta, _mm512_set1_epi32(four)))
        }
        fn step_8(sums: I, quanta: Quanta, four: i32) -> I {
            let four = _mm512_set1_epi32(four);
            let negative = _mm512_movepi8_mask(quanta);
            let signed = _mm512_mask_sub_epi8(four, negative, _mm512_setzero_si512(), four);
            widen(sums, _mm512_maddubs_epi16(_mm512_abs_epi8(quanta), signed))
        }
        fn widen(sums: I, pairs: __m512i) -> I {
            _mm512_add_epi32(sums, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
        }
        fn halves(halves: &[u16; LANES]) -> F {
            // SAFETY: sixteen halves are 256 bits; the load needs no alignment.
            _mm512_cvtph_ps(unsafe { _mm256_loadu_si256(halves.as_ptr().cast()) })
        }
    }
}
