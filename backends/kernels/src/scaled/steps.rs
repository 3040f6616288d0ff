//! The step of a product with scaled weights, for each instruction set: to sixteen sums it adds the products
//! of four quanta in each lane with four int8 activations, which all lanes share.
//!
//! Quanta of 4 bits multiply as they are. Of 8 bits, VNNI takes them without a sign. Without VNNI the sum of
//! two products has 16 bits, which hold 2·128·127 but no 2·255·127. So those sets take quanta of 8 bits less
//! `LESS`, as magnitudes, and give their signs to the activations.

/// Writes the functions of an instruction set.
#[cfg(target_arch = "x86_64")]
macro_rules! steps {
    ($features:literal, $(fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty $body:block)*) => {$(
        #[inline]
        #[target_feature(enable = $features)]
        pub(crate) fn $name($($arg: $ty),*) -> $out $body
    )*};
}

/// The specification of the others, and the code for processors without a better set.
pub(crate) mod scalar {
    use crate::lanes::scalar::{F, I};
    use crate::lanes::{Block, LANES};

    pub(crate) type Quanta = [[u8; 4]; LANES];
    /// Number by which `whole` quanta are less than packed ones.
    pub(crate) const LESS: i32 = 0;

    /// The same number in all lanes.
    #[inline]
    pub(crate) fn start(x: i32) -> I {
        [x; LANES]
    }

    /// The sums of two vectors.
    #[inline]
    pub(crate) fn add(a: I, b: I) -> I {
        std::array::from_fn(|lane| a[lane] + b[lane])
    }

    /// Quanta in the lower half of each byte.
    #[inline]
    pub(crate) fn low(block: &Block) -> Quanta {
        whole(block).map(|four| four.map(|byte| byte & 15))
    }

    /// Quanta in the upper half of each byte.
    #[inline]
    pub(crate) fn high(block: &Block) -> Quanta {
        whole(block).map(|four| four.map(|byte| byte >> 4))
    }

    /// Quanta of 8 bits.
    #[inline]
    pub(crate) fn whole(block: &Block) -> Quanta {
        let mut all = [[0; 4]; LANES];
        all.as_flattened_mut().copy_from_slice(&block.0);
        all
    }

    /// Adds products of quanta of 4 bits.
    #[inline]
    pub(crate) fn step_4(sums: I, quanta: Quanta, four: i32) -> I {
        step_8(sums, quanta, four)
    }

    /// Adds products of quanta of 8 bits.
    #[inline]
    pub(crate) fn step_8(sums: I, quanta: Quanta, four: i32) -> I {
        let four = four.to_le_bytes().map(|byte| i32::from(byte as i8));
        let dot = |quanta: [u8; 4]| -> i32 { (0..4).map(|at| i32::from(quanta[at]) * four[at]).sum() };
        std::array::from_fn(|lane| sums[lane] + dot(quanta[lane]))
    }

    /// Finite numbers in half precision.
    #[inline]
    pub(crate) fn halves(halves: &[u16; LANES]) -> F {
        halves.map(crate::precision::from_f16)
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2 {
    use crate::lanes::avx2::{self as lanes, F, I};
    use crate::lanes::{Block, LANES};
    use std::arch::x86_64::*;

    pub(crate) type Quanta = [__m256i; 2];
    pub(crate) const LESS: i32 = 128;

    steps! { "avx2,fma",
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

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx_vnni {
    pub(crate) use super::avx2::{Quanta, add, halves, high, low, start};
    use crate::lanes::Block;
    use crate::lanes::avx2::{self as lanes, I};
    use std::arch::x86_64::*;

    pub(crate) const LESS: i32 = 0;

    steps! { "avx2,fma,avxvnni",
        fn whole(block: &Block) -> Quanta { lanes::load_bytes(block) }
        fn step_4(sums: I, quanta: Quanta, four: i32) -> I { step_8(sums, quanta, four) }
        fn step_8(sums: I, quanta: Quanta, four: i32) -> I {
            let four = _mm256_set1_epi32(four);
            let half = |at: usize| _mm256_dpbusd_avx_epi32(sums[at], quanta[at], four);
            [half(0), half(1)]
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512bw {
    use crate::lanes::avx512::{self as lanes, F, I};
    use crate::lanes::{Block, LANES};
    use std::arch::x86_64::*;

    pub(crate) type Quanta = __m512i;
    pub(crate) const LESS: i32 = 128;

    steps! { "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl",
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

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512_vnni {
    pub(crate) use super::avx512bw::{Quanta, add, halves, high, low, start};
    use crate::lanes::Block;
    use crate::lanes::avx512::{self as lanes, I};
    use std::arch::x86_64::*;

    pub(crate) const LESS: i32 = 0;

    steps! { "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni",
        fn whole(block: &Block) -> Quanta { lanes::load_bytes(block) }
        fn step_4(sums: I, quanta: Quanta, four: i32) -> I { step_8(sums, quanta, four) }
        fn step_8(sums: I, quanta: Quanta, four: i32) -> I {
            _mm512_dpbusd_epi32(sums, quanta, _mm512_set1_epi32(four))
        }
    }
}
