//! The step of int8 products on AVX2, which reads rows as [`Magnitudes`](crate::tile::magnitudes::Magnitudes).
//!
//! A product of bytes takes unsigned values on one side: |a|. The other side is b, or -1-b where a is negative: an
//! exclusive or with the sign, which is cheaper than a negation. It leaves out |a| for each negative a, which is the
//! same for all columns and is added at the end. A pair of products is at most 2·127·128 = 32,512, so that the
//! saturating 16-bit sum never saturates. Where two groups are calm, so is the sum of both, and one instruction
//! widens it instead of two.

use super::super::walk::group;
use crate::lanes::{Block, avx2 as lanes};
use crate::tile::magnitudes::Row;
use std::arch::x86_64::*;

pub(crate) type Sum = [__m256i; 2];

/// A group of a row, spread over the lanes.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    magnitudes: __m256i,
    signs: __m256i,
}

/// Group `g` of a row.
///
/// # Safety
/// The row must have more than `g` groups.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) unsafe fn spread(row: &Row<'_>, g: usize) -> Group {
    // SAFETY: the caller says that the row has this group.
    let magnitudes = unsafe { group(row.groups, 2 * g) };
    // SAFETY: as above; the signs of a group follow its magnitudes.
    let signs = unsafe { group(row.groups, 2 * g + 1) };
    Group { magnitudes: _mm256_set1_epi32(magnitudes), signs: _mm256_set1_epi32(signs) }
}

/// Products of eight columns as 16-bit sums of pairs. Without `SIGNED`, no value of the group is negative.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn pairs<const SIGNED: bool>(a: Group, b: __m256i) -> __m256i {
    let b = if SIGNED { _mm256_xor_si256(a.signs, b) } else { b };
    _mm256_maddubs_epi16(a.magnitudes, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn widen(sum: __m256i, pairs: __m256i) -> __m256i {
    _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
}

/// Adds the products of a group.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn step<const SIGNED: bool>(sum: Sum, a: Group, b: &Block) -> Sum {
    let b = lanes::load_bytes(b);
    [widen(sum[0], pairs::<SIGNED>(a, b[0])), widen(sum[1], pairs::<SIGNED>(a, b[1]))]
}

/// Adds the products of two groups that are calm together.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn step_two<const SIGNED: bool>(sum: Sum, a: [Group; 2], b: [&Block; 2]) -> Sum {
    let b = [lanes::load_bytes(b[0]), lanes::load_bytes(b[1])];
    let both = [0, 1]
        .map(|half| _mm256_add_epi16(pairs::<SIGNED>(a[0], b[0][half]), pairs::<SIGNED>(a[1], b[1][half])));
    [widen(sum[0], both[0]), widen(sum[1], both[1])]
}

/// Adds a number to the sums of all columns.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn add_to_all(sum: Sum, more: i32) -> Sum {
    let more = _mm256_set1_epi32(more);
    [_mm256_add_epi32(sum[0], more), _mm256_add_epi32(sum[1], more)]
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn start(from: &[i32; 16]) -> Sum {
    lanes::load_i(from)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn to_f(sum: Sum) -> lanes::F {
    lanes::to_f(sum)
}
