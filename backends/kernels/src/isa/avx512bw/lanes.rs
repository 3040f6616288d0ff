//! The sixteen lanes as one 512-bit register.

use crate::lanes::{Block, LANES};
use std::arch::x86_64::*;

pub(crate) type F = __m512;
pub(crate) type I = __m512i;
pub(crate) type M = __mmask16;
/// Number of vectors of sums that a loop keeps in registers, beside its operands.
pub(crate) const SUMS: usize = 16;

/// Mask of the first `n` lanes.
#[inline]
fn first(n: usize) -> __mmask16 {
    if n >= LANES { u16::MAX } else { (1 << n) - 1 }
}

crate::isa::operations::operations! { "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl",
    fn splat(x: f32) -> F { _mm512_set1_ps(x) }

    fn load(x: &[f32]) -> F {
        match x.first_chunk::<LANES>() {
            // SAFETY: sixteen values are there; the load needs no alignment.
            Some(x) => unsafe { _mm512_loadu_ps(x.as_ptr()) },
            // SAFETY: the mask keeps the read within the slice.
            None => unsafe { _mm512_maskz_loadu_ps(first(x.len()), x.as_ptr()) },
        }
    }

    /// Masks the store of a part only: on Zen a masked store takes some sixteen cycles, a whole store one or
    /// two.
    fn store(x: &mut [f32], a: F) {
        match x.first_chunk_mut::<LANES>() {
            // SAFETY: there is room for sixteen; the store needs no alignment.
            Some(x) => unsafe { _mm512_storeu_ps(x.as_mut_ptr(), a) },
            // SAFETY: the mask keeps the write within the slice.
            None => unsafe { _mm512_mask_storeu_ps(x.as_mut_ptr(), first(x.len()), a) },
        }
    }

    fn add(a: F, b: F) -> F { _mm512_add_ps(a, b) }
    fn sub(a: F, b: F) -> F { _mm512_sub_ps(a, b) }
    fn mul(a: F, b: F) -> F { _mm512_mul_ps(a, b) }
    fn div(a: F, b: F) -> F { _mm512_div_ps(a, b) }
    fn max(a: F, b: F) -> F { _mm512_max_ps(a, b) }
    fn min(a: F, b: F) -> F { _mm512_min_ps(a, b) }
    fn fma(a: F, b: F, c: F) -> F { _mm512_fmadd_ps(a, b, c) }
    fn abs(a: F) -> F { _mm512_abs_ps(a) }
    fn round(a: F) -> F { _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a) }
    fn gt(a: F, b: F) -> M { _mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b) }
    fn select(mask: M, a: F, b: F) -> F { _mm512_mask_blend_ps(mask, b, a) }
    fn from_bits(bits: u16) -> M { bits }
    fn any(mask: M) -> bool { mask != 0 }
    fn to_f(a: I) -> F { _mm512_cvtepi32_ps(a) }
    fn to_i(a: F) -> I { _mm512_cvtps_epi32(a) }
    fn scale(a: F, n: F) -> F { _mm512_scalef_ps(a, n) }

    fn load_i(a: &[i32; LANES]) -> I {
        // SAFETY: sixteen lanes are there; the load needs no alignment.
        unsafe { _mm512_loadu_si512(a.as_ptr().cast()) }
    }

    fn load_bytes(a: &Block) -> I {
        // SAFETY: a block is 64 bytes, aligned to 64.
        unsafe { _mm512_load_si512(a.0.as_ptr().cast()) }
    }

    /// Prefetches a block; any address is allowed.
    fn prefetch(block: *const Block) {
        _mm_prefetch::<_MM_HINT_T0>(block.cast())
    }

    /// The lower number in half precision of each lane.
    fn lower_half(a: &Block) -> F { _mm512_cvtph_ps(_mm512_cvtepi32_epi16(load_bytes(a))) }

    /// The upper number in half precision of each lane.
    fn upper_half(a: &Block) -> F { _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(load_bytes(a)))) }

    fn load_block(a: &Block) -> F { _mm512_castsi512_ps(load_bytes(a)) }

    fn store_block(to: &mut Block, a: F) {
        // SAFETY: a block is 64 bytes, aligned to 64.
        unsafe { _mm512_store_ps(to.0.as_mut_ptr().cast(), a) }
    }

    /// Moves lane j of vector i to lane i of vector j: pairs of lanes, pairs of pairs, then quarters of
    /// vectors.
    fn transpose(a: [F; LANES]) -> [F; LANES] {
        let mut fours = a; // [4·g + c], lane 4·q + i: lane 4·q + c of vector 4·g + i
        for g in (0..LANES).step_by(4) {
            let [low, high] = [_mm512_unpacklo_ps(a[g], a[g + 1]), _mm512_unpackhi_ps(a[g], a[g + 1])];
            let [low2, high2] = [_mm512_unpacklo_ps(a[g + 2], a[g + 3]), _mm512_unpackhi_ps(a[g + 2], a[g + 3])];
            fours[g] = _mm512_shuffle_ps::<0b01_00_01_00>(low, low2);
            fours[g + 1] = _mm512_shuffle_ps::<0b11_10_11_10>(low, low2);
            fours[g + 2] = _mm512_shuffle_ps::<0b01_00_01_00>(high, high2);
            fours[g + 3] = _mm512_shuffle_ps::<0b11_10_11_10>(high, high2);
        }
        let mut all = a;
        for c in 0..4 {
            let even = _mm512_shuffle_f32x4::<0b10_00_10_00>(fours[c], fours[c + 4]);
            let odd = _mm512_shuffle_f32x4::<0b11_01_11_01>(fours[c], fours[c + 4]);
            let even2 = _mm512_shuffle_f32x4::<0b10_00_10_00>(fours[c + 8], fours[c + 12]);
            let odd2 = _mm512_shuffle_f32x4::<0b11_01_11_01>(fours[c + 8], fours[c + 12]);
            all[c] = _mm512_shuffle_f32x4::<0b10_00_10_00>(even, even2);
            all[c + 4] = _mm512_shuffle_f32x4::<0b10_00_10_00>(odd, odd2);
            all[c + 8] = _mm512_shuffle_f32x4::<0b11_01_11_01>(even, even2);
            all[c + 12] = _mm512_shuffle_f32x4::<0b11_01_11_01>(odd, odd2);
        }
        all
    }

    fn reduce_add(a: F) -> f32 {
        let a = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps::<1>(a));
        let a = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
        let a = _mm_add_ps(a, _mm_movehl_ps(a, a));
        _mm_cvtss_f32(_mm_add_ss(a, _mm_movehdup_ps(a)))
    }

    fn reduce_max(a: F) -> f32 {
        let a = _mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps::<1>(a));
        let a = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
        let a = _mm_max_ps(a, _mm_movehl_ps(a, a));
        _mm_cvtss_f32(_mm_max_ss(a, _mm_movehdup_ps(a)))
    }

    fn gather(table: &[f32], at: I) -> F {
        let last = i32::try_from(table.len() - 1).unwrap_or(i32::MAX);
        let at = _mm512_min_epu32(at, _mm512_set1_epi32(last));
        // SAFETY: every position was just cut to the table's last.
        unsafe { _mm512_i32gather_ps::<4>(at, table.as_ptr()) }
    }

    fn store_words(out: &mut [[u8; 2]], a: I) {
        let words = _mm512_cvtsepi32_epi16(a);
        match out.first_chunk_mut::<LANES>() {
            // SAFETY: there is room for sixteen words; the store needs no alignment.
            Some(out) => unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), words) },
            // SAFETY: the mask keeps the write within the slice.
            None => unsafe { _mm256_mask_storeu_epi16(out.as_mut_ptr().cast(), first(out.len()), words) },
        }
    }

    fn store_bytes(out: &mut [u8], a: I, flip: u8) {
        let bytes = _mm_xor_si128(_mm512_cvtepi32_epi8(a), _mm_set1_epi8(flip as i8));
        match out.first_chunk_mut::<LANES>() {
            // SAFETY: there is room for sixteen bytes; the store needs no alignment.
            Some(out) => unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), bytes) },
            // SAFETY: the mask keeps the write within the slice.
            None => unsafe { _mm_mask_storeu_epi8(out.as_mut_ptr().cast(), first(out.len()), bytes) },
        }
    }
}
