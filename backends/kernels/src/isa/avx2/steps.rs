//! The steps of products on AVX2, apart from that of int8 products, which has a way of its own: `by_magnitudes`.

crate::isa::operations::steps! { "avx2,fma", crate::isa::avx2::lanes;
    int16: [__m256i; 2], __m256i,
        spread(a) { _mm256_set1_epi32(a) },
        step(sum, a, b) {
            let b = lanes::load_bytes(b);
            [_mm256_add_epi32(sum[0], _mm256_madd_epi16(a, b[0])), _mm256_add_epi32(sum[1], _mm256_madd_epi16(a, b[1]))]
        },
        start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) };
    bf16: [__m256; 2], [__m256; 2],
        spread(a) {
            let [upper, lower] = [a & UPPER, a << 16];
            [_mm256_castsi256_ps(_mm256_set1_epi32(upper)), _mm256_castsi256_ps(_mm256_set1_epi32(lower))]
        },
        step(sum, a, b) {
            let b = lanes::load_bytes(b);
            let half = |sum, b| {
                let upper = _mm256_castsi256_ps(_mm256_and_si256(b, _mm256_set1_epi32(UPPER)));
                let lower = _mm256_castsi256_ps(_mm256_slli_epi32::<16>(b));
                _mm256_fmadd_ps(a[1], lower, _mm256_fmadd_ps(a[0], upper, sum))
            };
            [half(sum[0], b[0]), half(sum[1], b[1])]
        },
        start(from) {
            let from = lanes::load_i(from);
            [_mm256_castsi256_ps(from[0]), _mm256_castsi256_ps(from[1])]
        },
        to_f(sum) { sum },
        also { const UPPER: i32 = 0xFFFF_0000_u32 as i32; };
    f32: [__m256; 2], __m256,
        spread(a) { _mm256_castsi256_ps(_mm256_set1_epi32(a)) },
        step(sum, a, b) {
            let b = lanes::load_block(b);
            [_mm256_fmadd_ps(a, b[0], sum[0]), _mm256_fmadd_ps(a, b[1], sum[1])]
        },
        start(from) {
            let from = lanes::load_i(from);
            [_mm256_castsi256_ps(from[0]), _mm256_castsi256_ps(from[1])]
        },
        to_f(sum) { sum };
}

/// Without VNNI the sum of two products has 16 bits, which hold 2·128·127 but no 2·255·127. So quanta of 8 bits
/// are taken less `LESS`, as magnitudes, and give their signs to the activations.
pub(crate) mod scaled {
    use crate::isa::avx2::lanes::{self, F, I};
    use crate::lanes::{Block, LANES};
    use std::arch::x86_64::*;

    pub(crate) type Quanta = [__m256i; 2];
    pub(crate) const LESS: i32 = 128;

    crate::isa::operations::operations! { "avx2,fma",
        fn start(x: i32) -> I { [_mm256_set1_epi32(x); 2] }
        fn add(a: I, b: I) -> I { [_mm256_add_epi32(a[0], b[0]), _mm256_add_epi32(a[1], b[1])] }
        fn low(block: &Block) -> Quanta {
            lanes::load_bytes(block).map(|half| _mm256_and_si256(half, _mm256_set1_epi8(15)))
        }
        fn high(block: &Block) -> Quanta {
            lanes::load_bytes(block)
                .map(|half| _mm256_and_si256(_mm256_srli_epi16::<4>(half), _mm256_set1_epi8(15)))
        }
        fn whole(block: &Block) -> Quanta {
            lanes::load_bytes(block).map(|half| _mm256_xor_si256(half, _mm256_set1_epi8(i8::MIN)))
        }
        fn step_4(sums: I, quanta: Quanta, four: i32) -> I {
            let four = _mm256_set1_epi32(four);
            let pairs = quanta.map(|half| _mm256_maddubs_epi16(half, four));
            [widen(sums[0], pairs[0]), widen(sums[1], pairs[1])]
        }
        fn step_8(sums: I, quanta: Quanta, four: i32) -> I {
            let four = _mm256_set1_epi32(four);
            [widen(sums[0], signed(quanta[0], four)), widen(sums[1], signed(quanta[1], four))]
        }
        fn signed(quanta: __m256i, four: __m256i) -> __m256i {
            _mm256_maddubs_epi16(_mm256_abs_epi8(quanta), _mm256_sign_epi8(four, quanta))
        }
        fn widen(sums: __m256i, pairs: __m256i) -> __m256i {
            _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
        }
        fn halves(halves: &[u16; LANES]) -> F {
            let (eights, _) = halves.as_chunks::<8>();
            [eight(&eights[0]), eight(&eights[1])]
        }
        fn eight(halves: &[u16; 8]) -> __m256 {
            // SAFETY: eight halves are 128 bits; the load needs no alignment.
            let halves = unsafe { _mm_loadu_si128(halves.as_ptr().cast()) };
            let wide = _mm256_cvtepu16_epi32(halves);
            let magnitude = _mm256_slli_epi32::<13>(_mm256_and_si256(wide, _mm256_set1_epi32(0x7FFF)));
            let exponent = _mm256_set1_ps(f32::from_bits((112 + 127) << 23));
            let magnitude = _mm256_mul_ps(_mm256_castsi256_ps(magnitude), exponent);
            let sign = _mm256_slli_epi32::<16>(_mm256_and_si256(wide, _mm256_set1_epi32(0x8000)));
            _mm256_or_ps(magnitude, _mm256_castsi256_ps(sign))
        }
    }
}
