//! The step of every product, for each instruction set and precision. It spreads a group of activations over
//! the lanes, multiplies the group with a block of weights, and adds the results to sixteen sums.
//!
//! A *group* is four bytes along K: four int8, two int16, or one f32 value. A block holds the same group of
//! sixteen columns. So all precisions share one layout and one tile, and differ only in `step`.
//!
//! Integer sums are exact on all instruction sets. VNNI multiplies unsigned with signed bytes: int8
//! activations are stored with 128 added, and their sums start at -128 times the column's sum. AVX-512BW multiplies
//! |a| with sign(a)·b. A pair of such products is at most 2·127·127 = 32,258, so that the saturating 16-bit sum never
//! saturates. `avx2_int8` has a way of its own.
//!
//! A bf16 value is the upper half of an f32 value, so that a product of two is exact in f32. A step adds that of the
//! upper values of a group, then that of the lower ones, and rounds after each, which is the order of AVX-512-BF16 (Intel's
//! manual, volume 2C, VDPBF16PS). The instruction takes values below the smallest normal number, 1.2e-38, for 0; other code
//! doesn't, so that their bits may differ in sums as small as that.
//!
//! The dot product of words is written as an inline instruction. The compiler splits a chain of the intrinsic
//! into a product and a sum, which is shorter for one chain and twice the work for two dozen chains.

/// Writes the module of one precision: the types of a sum and of a spread group, and the functions.
macro_rules! arithmetic {
    ($name:ident, $features:literal, $lanes:ident, $sum:ty, $group:ty,
     spread($bits:ident) $spread:block, step($acc:ident, $a:ident, $b:ident) $step:block, start($from:ident) $start:block,
     to_f($done:ident) $to_f:block $(, also { $($more:item)* })?) => {
        #[allow(unused_imports)] // not every precision uses all
        pub(crate) mod $name {
            use crate::lanes::{Block, $lanes as lanes};
            #[cfg(target_arch = "aarch64")]
            use std::arch::aarch64::*;
            #[cfg(target_arch = "x86_64")]
            use std::arch::x86_64::*;
            pub(crate) type Sum = $sum;

            #[inline]
            #[target_feature(enable = $features)]
            pub(crate) fn spread($bits: i32) -> $group $spread

            #[inline]
            #[target_feature(enable = $features)]
            pub(crate) fn step($acc: Sum, $a: $group, $b: &Block) -> Sum $step

            #[inline]
            #[target_feature(enable = $features)]
            pub(crate) fn start($from: &[i32; 16]) -> Sum $start

            #[inline]
            #[target_feature(enable = $features)]
            pub(crate) fn to_f($done: Sum) -> lanes::F $to_f

            $($($more)*)?
        }
    };
}

#[cfg(target_arch = "aarch64")]
pub(crate) mod arm;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2_int8;

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512_vnni {
    arithmetic!(int8, "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni", avx512, __m512i, __m512i,
        spread(a) { _mm512_set1_epi32(a) },
        step(sum, a, b) { _mm512_dpbusd_epi32(sum, a, lanes::load_bytes(b)) },
        start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) });
    arithmetic!(int16, "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni", avx512, __m512i, __m512i,
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
        start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) });
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512_bf16 {
    use std::arch::x86_64::{__m512bh, __m512i};

    /// Thirty-two bf16 values, which lie as bytes do.
    #[inline]
    fn values(bytes: __m512i) -> __m512bh {
        // SAFETY: both are 64 bytes, and each pattern of bits is a value.
        unsafe { std::mem::transmute::<__m512i, __m512bh>(bytes) }
    }

    arithmetic!(bf16, "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512bf16", avx512, __m512, __m512i,
        spread(a) { _mm512_set1_epi32(a) },
        step(sum, a, b) { _mm512_dpbf16_ps(sum, super::values(a), super::values(lanes::load_bytes(b))) },
        start(from) { _mm512_castsi512_ps(lanes::load_i(from)) }, to_f(sum) { sum });
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512bw {
    arithmetic!(int8, "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl", avx512, __m512i, (__m512i, __mmask64),
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
        start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) });
    arithmetic!(int16, "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl", avx512, __m512i, __m512i,
        spread(a) { _mm512_set1_epi32(a) },
        step(sum, a, b) { _mm512_add_epi32(sum, _mm512_madd_epi16(a, lanes::load_bytes(b))) },
        start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) });
    arithmetic!(bf16, "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl", avx512, __m512, [__m512; 2],
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
        also { const UPPER: i32 = 0xFFFF_0000_u32 as i32; });
    arithmetic!(f32, "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl", avx512, __m512, __m512,
        spread(a) { _mm512_castsi512_ps(_mm512_set1_epi32(a)) },
        step(sum, a, b) { _mm512_fmadd_ps(a, lanes::load_block(b), sum) },
        start(from) { _mm512_castsi512_ps(lanes::load_i(from)) }, to_f(sum) { sum });
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx_vnni {
    arithmetic!(int8, "avx2,fma,avxvnni", avx2, [__m256i; 2], __m256i,
        spread(a) { _mm256_set1_epi32(a) },
        step(sum, a, b) {
            let b = lanes::load_bytes(b);
            [_mm256_dpbusd_avx_epi32(sum[0], a, b[0]), _mm256_dpbusd_avx_epi32(sum[1], a, b[1])]
        },
        start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) });
    arithmetic!(int16, "avx2,fma,avxvnni", avx2, [__m256i; 2], __m256i,
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
        start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) });
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2 {
    pub(crate) use super::avx2_int8 as int8;
    arithmetic!(int16, "avx2,fma", avx2, [__m256i; 2], __m256i,
        spread(a) { _mm256_set1_epi32(a) },
        step(sum, a, b) {
            let b = lanes::load_bytes(b);
            [_mm256_add_epi32(sum[0], _mm256_madd_epi16(a, b[0])), _mm256_add_epi32(sum[1], _mm256_madd_epi16(a, b[1]))]
        },
        start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) });
    arithmetic!(bf16, "avx2,fma", avx2, [__m256; 2], [__m256; 2],
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
        also { const UPPER: i32 = 0xFFFF_0000_u32 as i32; });
    arithmetic!(f32, "avx2,fma", avx2, [__m256; 2], __m256,
        spread(a) { _mm256_castsi256_ps(_mm256_set1_epi32(a)) },
        step(sum, a, b) {
            let b = lanes::load_block(b);
            [_mm256_fmadd_ps(a, b[0], sum[0]), _mm256_fmadd_ps(a, b[1], sum[1])]
        },
        start(from) {
            let from = lanes::load_i(from);
            [_mm256_castsi256_ps(from[0]), _mm256_castsi256_ps(from[1])]
        },
        to_f(sum) { sum });
}

/// Plain code: the specification.
pub(crate) mod scalar {
    macro_rules! integer {
        ($name:ident, $int:ty) => {
            pub(crate) mod $name {
                use crate::lanes::{Block, scalar as lanes};
                pub(crate) type Sum = [i32; 16];

                pub(crate) fn spread(a: i32) -> [u8; 4] {
                    a.to_le_bytes()
                }

                pub(crate) fn step(sum: Sum, a: [u8; 4], b: &Block) -> Sum {
                    std::array::from_fn(|lane| sum[lane].wrapping_add(dot(a, lanes::four(&b.0, lane))))
                }

                fn dot(a: [u8; 4], b: [u8; 4]) -> i32 {
                    const SIZE: usize = size_of::<$int>();
                    let value = |x: &[u8]| match *x {
                        [x] => i32::from(x as i8),
                        [low, high, ..] => i32::from(i16::from_le_bytes([low, high])),
                        [] => 0,
                    };
                    let pairs = a.chunks(SIZE).zip(b.chunks(SIZE));
                    pairs.fold(0, |sum: i32, (a, b)| sum.wrapping_add(value(a) * value(b)))
                }

                pub(crate) fn start(from: &[i32; 16]) -> Sum {
                    *from
                }

                pub(crate) fn to_f(sum: Sum) -> lanes::F {
                    lanes::to_f(sum)
                }
            }
        };
    }
    integer!(int8, i8);
    integer!(int16, i16);

    pub(crate) mod bf16 {
        use crate::lanes::{Block, scalar as lanes};
        pub(crate) type Sum = lanes::F;

        pub(crate) fn spread(a: i32) -> [f32; 2] {
            pair(a.to_le_bytes())
        }

        pub(crate) fn step(sum: Sum, a: [f32; 2], b: &Block) -> Sum {
            std::array::from_fn(|lane| {
                let b = pair(lanes::four(&b.0, lane));
                a[1].mul_add(b[1], a[0].mul_add(b[0], sum[lane]))
            })
        }

        /// The upper value, then the lower one.
        fn pair(bytes: [u8; 4]) -> [f32; 2] {
            let bits = u32::from_le_bytes(bytes);
            [bits & 0xFFFF_0000, bits << 16].map(f32::from_bits)
        }

        pub(crate) fn start(from: &[i32; 16]) -> Sum {
            from.map(|bits| f32::from_bits(bits as u32))
        }

        pub(crate) fn to_f(sum: Sum) -> Sum {
            sum
        }
    }

    pub(crate) mod f32 {
        use crate::lanes::{Block, scalar as lanes};
        pub(crate) type Sum = lanes::F;

        pub(crate) fn spread(a: i32) -> lanes::F {
            lanes::splat(f32::from_bits(a as u32))
        }

        pub(crate) fn step(sum: Sum, a: lanes::F, b: &Block) -> Sum {
            lanes::fma(a, lanes::load_block(b), sum)
        }

        pub(crate) fn start(from: &[i32; 16]) -> Sum {
            from.map(|bits| f32::from_bits(bits as u32))
        }

        pub(crate) fn to_f(sum: Sum) -> lanes::F {
            sum
        }
    }
}
