//! The sixteen lanes as two 256-bit registers.

use crate::lanes::{Block, LANES};
use std::arch::x86_64::*;

pub(crate) type F = [__m256; 2];
pub(crate) type I = [__m256i; 2];
/// Mask of lanes: all bits of a set lane are 1.
pub(crate) type M = [__m256; 2];
/// Number of vectors of sums that a loop keeps in registers, beside its operands.
pub(crate) const SUMS: usize = 4;

crate::isa::operations::operations! { "avx2,fma",
    fn splat(x: f32) -> F { [_mm256_set1_ps(x); 2] }

    fn load(x: &[f32]) -> F {
        match x.first_chunk() {
            Some(x) => load_all(x),
            None => load_part(x),
        }
    }

    fn load_all(x: &[f32; LANES]) -> F {
        // SAFETY: sixteen values are there; the load needs no alignment.
        let low = unsafe { _mm256_loadu_ps(x.as_ptr()) };
        // SAFETY: as above; these are the last eight.
        let high = unsafe { _mm256_loadu_ps(x[8..].as_ptr()) };
        [low, high]
    }

    fn load_part(x: &[f32]) -> F {
        let mut all = [0.0; LANES];
        all[..x.len()].copy_from_slice(x);
        load_all(&all)
    }

    fn store(x: &mut [f32], a: F) {
        match x.first_chunk_mut() {
            Some(x) => store_all(x, a),
            None => {
                let mut all = [0.0; LANES];
                store_all(&mut all, a);
                x.copy_from_slice(&all[..x.len()]);
            }
        }
    }

    fn store_all(x: &mut [f32; LANES], a: F) {
        // SAFETY: there is room for sixteen; the store needs no alignment.
        unsafe { _mm256_storeu_ps(x.as_mut_ptr(), a[0]) };
        // SAFETY: as above; these are the last eight.
        unsafe { _mm256_storeu_ps(x[8..].as_mut_ptr(), a[1]) };
    }

    fn add(a: F, b: F) -> F { [_mm256_add_ps(a[0], b[0]), _mm256_add_ps(a[1], b[1])] }
    fn sub(a: F, b: F) -> F { [_mm256_sub_ps(a[0], b[0]), _mm256_sub_ps(a[1], b[1])] }
    fn mul(a: F, b: F) -> F { [_mm256_mul_ps(a[0], b[0]), _mm256_mul_ps(a[1], b[1])] }
    fn div(a: F, b: F) -> F { [_mm256_div_ps(a[0], b[0]), _mm256_div_ps(a[1], b[1])] }
    fn max(a: F, b: F) -> F { [_mm256_max_ps(a[0], b[0]), _mm256_max_ps(a[1], b[1])] }
    fn min(a: F, b: F) -> F { [_mm256_min_ps(a[0], b[0]), _mm256_min_ps(a[1], b[1])] }
    fn fma(a: F, b: F, c: F) -> F { [_mm256_fmadd_ps(a[0], b[0], c[0]), _mm256_fmadd_ps(a[1], b[1], c[1])] }

    fn abs(a: F) -> F {
        let sign = _mm256_set1_ps(-0.0);
        [_mm256_andnot_ps(sign, a[0]), _mm256_andnot_ps(sign, a[1])]
    }

    fn round(a: F) -> F {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        [_mm256_round_ps::<NEAREST>(a[0]), _mm256_round_ps::<NEAREST>(a[1])]
    }

    fn gt(a: F, b: F) -> M { [_mm256_cmp_ps::<_CMP_GT_OQ>(a[0], b[0]), _mm256_cmp_ps::<_CMP_GT_OQ>(a[1], b[1])] }
    fn select(mask: M, a: F, b: F) -> F {
        [_mm256_blendv_ps(b[0], a[0], mask[0]), _mm256_blendv_ps(b[1], a[1], mask[1])]
    }

    fn from_bits(bits: u16) -> M {
        let lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let low = _mm256_and_si256(_mm256_set1_epi32(i32::from(bits)), lane);
        let high = _mm256_and_si256(_mm256_set1_epi32(i32::from(bits >> 8)), lane);
        [_mm256_castsi256_ps(_mm256_cmpeq_epi32(low, lane)), _mm256_castsi256_ps(_mm256_cmpeq_epi32(high, lane))]
    }

    fn any(mask: M) -> bool { _mm256_movemask_ps(_mm256_or_ps(mask[0], mask[1])) != 0 }
    fn to_f(a: I) -> F { [_mm256_cvtepi32_ps(a[0]), _mm256_cvtepi32_ps(a[1])] }
    fn to_i(a: F) -> I { [_mm256_cvtps_epi32(a[0]), _mm256_cvtps_epi32(a[1])] }

    fn scale(a: F, n: F) -> F {
        let half = round(mul(n, splat(0.5)));
        mul(mul(a, exp2i(half)), exp2i(sub(n, half)))
    }

    fn exp2i(n: F) -> F {
        let ([low, high], bias) = (to_i(n), _mm256_set1_epi32(127));
        let [low, high] = [_mm256_add_epi32(low, bias), _mm256_add_epi32(high, bias)];
        [_mm256_castsi256_ps(_mm256_slli_epi32::<23>(low)), _mm256_castsi256_ps(_mm256_slli_epi32::<23>(high))]
    }

    fn load_i(a: &[i32; LANES]) -> I {
        // SAFETY: sixteen lanes are there; the load needs no alignment.
        let low = unsafe { _mm256_loadu_si256(a.as_ptr().cast()) };
        // SAFETY: as above; these are the last eight.
        let high = unsafe { _mm256_loadu_si256(a[8..].as_ptr().cast()) };
        [low, high]
    }

    fn load_bytes(a: &Block) -> I {
        // SAFETY: a block is 64 bytes, aligned to 64.
        let low = unsafe { _mm256_load_si256(a.0.as_ptr().cast()) };
        // SAFETY: as above; the second half is aligned to 32.
        let high = unsafe { _mm256_load_si256(a.0[32..].as_ptr().cast()) };
        [low, high]
    }

    /// Prefetches a block; any address is allowed.
    fn prefetch(block: *const Block) {
        _mm_prefetch::<_MM_HINT_T0>(block.cast())
    }

    /// The lower number in half precision of each lane, which is finite: its bits as those of f32 have an exponent that
    /// is 112 too small.
    fn lower_half(a: &Block) -> F {
        load_bytes(a).map(|a| {
            let sign = _mm256_slli_epi32::<16>(_mm256_and_si256(a, _mm256_set1_epi32(0x8000)));
            number(sign, _mm256_slli_epi32::<13>(_mm256_and_si256(a, _mm256_set1_epi32(0x7FFF))))
        })
    }

    /// The upper number in half precision of each lane.
    fn upper_half(a: &Block) -> F {
        load_bytes(a).map(|a| {
            let sign = _mm256_and_si256(a, _mm256_set1_epi32(i32::MIN));
            number(sign, _mm256_and_si256(_mm256_srli_epi32::<3>(a), _mm256_set1_epi32(0x7FFF << 13)))
        })
    }

    fn number(sign: __m256i, magnitude: __m256i) -> __m256 {
        const EXPONENT: f32 = f32::from_bits((112 + 127) << 23);
        let magnitude = _mm256_mul_ps(_mm256_castsi256_ps(magnitude), _mm256_set1_ps(EXPONENT));
        _mm256_or_ps(magnitude, _mm256_castsi256_ps(sign))
    }

    fn load_block(a: &Block) -> F {
        let a = load_bytes(a);
        [_mm256_castsi256_ps(a[0]), _mm256_castsi256_ps(a[1])]
    }

    fn store_block(to: &mut Block, a: F) {
        let (low, high) = to.0.split_at_mut(32);
        // SAFETY: a block is 64 bytes, aligned to 64; this is its first half.
        unsafe { _mm256_store_ps(low.as_mut_ptr().cast(), a[0]) };
        // SAFETY: as above; the second half is aligned to 32.
        unsafe { _mm256_store_ps(high.as_mut_ptr().cast(), a[1]) };
    }

    /// Moves lane j of vector i to lane i of vector j, eight by eight.
    fn transpose(a: [F; LANES]) -> [F; LANES] {
        let mut all = a;
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let mut eight = [_mm256_setzero_ps(); 8];
            for (eight, a) in eight.iter_mut().zip(&a[8 * i..]) {
                *eight = a[j];
            }
            for (to, eight) in all[8 * j..].iter_mut().zip(transpose_eight(eight)) {
                to[i] = eight;
            }
        }
        all
    }

    fn transpose_eight(a: [__m256; 8]) -> [__m256; 8] {
        let mut fours = a; // [4·g + c], lane 4·h + i: lane 4·h + c of vector 4·g + i
        for g in [0, 4] {
            let [low, high] = [_mm256_unpacklo_ps(a[g], a[g + 1]), _mm256_unpackhi_ps(a[g], a[g + 1])];
            let [low2, high2] = [_mm256_unpacklo_ps(a[g + 2], a[g + 3]), _mm256_unpackhi_ps(a[g + 2], a[g + 3])];
            fours[g] = _mm256_shuffle_ps::<0b01_00_01_00>(low, low2);
            fours[g + 1] = _mm256_shuffle_ps::<0b11_10_11_10>(low, low2);
            fours[g + 2] = _mm256_shuffle_ps::<0b01_00_01_00>(high, high2);
            fours[g + 3] = _mm256_shuffle_ps::<0b11_10_11_10>(high, high2);
        }
        let mut all = a;
        for c in 0..4 {
            all[c] = _mm256_permute2f128_ps::<0x20>(fours[c], fours[c + 4]);
            all[c + 4] = _mm256_permute2f128_ps::<0x31>(fours[c], fours[c + 4]);
        }
        all
    }

    fn reduce_add(a: F) -> f32 {
        let a = _mm256_add_ps(a[0], a[1]);
        let a = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
        let a = _mm_add_ps(a, _mm_movehl_ps(a, a));
        _mm_cvtss_f32(_mm_add_ss(a, _mm_movehdup_ps(a)))
    }

    fn reduce_max(a: F) -> f32 {
        let a = _mm256_max_ps(a[0], a[1]);
        let a = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
        let a = _mm_max_ps(a, _mm_movehl_ps(a, a));
        _mm_cvtss_f32(_mm_max_ss(a, _mm_movehdup_ps(a)))
    }

    fn gather(table: &[f32], at: I) -> F {
        let last = _mm256_set1_epi32(i32::try_from(table.len() - 1).unwrap_or(i32::MAX));
        let at = [_mm256_min_epu32(at[0], last), _mm256_min_epu32(at[1], last)];
        // SAFETY: every position was just cut to the table's last.
        let low = unsafe { _mm256_i32gather_ps::<4>(table.as_ptr(), at[0]) };
        // SAFETY: as above.
        let high = unsafe { _mm256_i32gather_ps::<4>(table.as_ptr(), at[1]) };
        [low, high]
    }

    fn store_words(out: &mut [[u8; 2]], a: I) {
        // The packs work on 128-bit halves, hence the order.
        let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(a[0], a[1]));
        let mut all = [[0; 2]; LANES];
        // SAFETY: there is room for sixteen words; the store needs no alignment.
        unsafe { _mm256_storeu_si256(all.as_mut_ptr().cast(), words) };
        let n = out.len().min(LANES);
        out[..n].copy_from_slice(&all[..n]);
    }

    fn store_bytes(out: &mut [u8], a: I, flip: u8) {
        // The saturating packs change nothing, because callers clamp to a byte first. The packs work on
        // 128-bit halves, hence the order.
        let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(a[0], a[1]));
        let bytes = _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
        let bytes = _mm_xor_si128(bytes, _mm_set1_epi8(flip as i8));
        let mut all = [0; LANES];
        // SAFETY: there is room for sixteen bytes; the store needs no alignment.
        unsafe { _mm_storeu_si128(all.as_mut_ptr().cast(), bytes) };
        let n = out.len().min(LANES);
        out[..n].copy_from_slice(&all[..n]);
    }
}
