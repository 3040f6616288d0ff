//! The way of int8 products through K on AVX2, with its steps. It reads rows as `Magnitudes`.
//!
//! A product of bytes takes unsigned values on one side: |a|. The other side is b, or -1-b where a is negative: an
//! exclusive or with the sign, which is cheaper than a negation. It leaves out |a| for each negative a, which is the
//! same for all columns and is added at the end. A pair of products is at most 2·127·128 = 32,512, so that the
//! saturating 16-bit sum never saturates. Where two groups are calm, so is the sum of both, and one instruction
//! widens it instead of two.

use crate::isa::avx2::lanes;
use crate::isa::avx2::magnitudes::Row;
use crate::lanes::Block;
use crate::tile::walk::group;
use std::arch::x86_64::*;

/// Walks through K by pairs of groups: first those that are calm in all rows, then the others group by group.
macro_rules! by_magnitudes {
    (rows) => {
        crate::isa::avx2::magnitudes::Magnitudes
    };
    ($rows:ident, $vectors:ident, $job:ident, $a:ident, $panel:ident, $first:ident, $soon:ident, $sums:ident) => {
        if $a.iter().all(|row| row.negative_magnitudes == 0) {
            walk!(@ false, $rows, $vectors, $job, $a, $panel, $first, $soon, $sums);
        } else {
            walk!(@ true, $rows, $vectors, $job, $a, $panel, $first, $soon, $sums);
            each_row!($rows, I, {
                for v in 0..$vectors {
                    $sums[I][v] = steps::add_to_all($sums[I][v], $a[I].negative_magnitudes);
                }
            });
        }
    };
    (@ $signed:literal, $rows:ident, $vectors:ident, $job:ident, $a:ident, $panel:ident, $first:ident, $soon:ident,
     $sums:ident) => {
        use crate::isa::avx2::magnitudes::Pairs;
        let pairs = $job.groups / 2;
        for word in 0..pairs.div_ceil(Pairs::MOST) {
            let [calm, others] = Pairs::of(&$a, word, pairs);
            for pair in calm {
                let g = 2 * (Pairs::MOST * word + pair);
                walk!(@soon $vectors, $soon, g, g + 1);
                // SAFETY: the panel has both groups, and in each VECTORS blocks from the first.
                let [even, odd]: [&[Block; $vectors]; 2] = [g, g + 1].map(|g| unsafe { $panel.group(g, $first) });
                each_row!($rows, I, {
                    // SAFETY: the rows have as many groups as the panel.
                    let a = [g, g + 1].map(|g| unsafe { steps::spread(&$a[I], g) });
                    for v in 0..$vectors {
                        $sums[I][v] = steps::step_two::<$signed>($sums[I][v], a, [&even[v], &odd[v]]);
                    }
                });
            }
            for pair in others {
                let g = 2 * (Pairs::MOST * word + pair);
                walk!(@group $signed, $rows, $vectors, $a, $panel, $first, $soon, $sums, g);
                walk!(@group $signed, $rows, $vectors, $a, $panel, $first, $soon, $sums, g + 1);
            }
        }
        if $job.groups % 2 == 1 {
            walk!(@group $signed, $rows, $vectors, $a, $panel, $first, $soon, $sums, $job.groups - 1);
        }
    };
    (@group $signed:literal, $rows:ident, $vectors:ident, $a:ident, $panel:ident, $first:ident, $soon:ident,
     $sums:ident, $g:expr) => {
        let g = $g;
        walk!(@soon $vectors, $soon, g);
        // SAFETY: the panel has this group, and in it VECTORS blocks from the first.
        let blocks: &[Block; $vectors] = unsafe { $panel.group(g, $first) };
        each_row!($rows, I, {
            // SAFETY: the rows have as many groups as the panel.
            let a = unsafe { steps::spread(&$a[I], g) };
            for v in 0..$vectors {
                $sums[I][v] = steps::step::<$signed>($sums[I][v], a, &blocks[v]);
            }
        });
    };
    (@soon $vectors:ident, $soon:ident, $($g:expr),+) => {
        if let Some(soon) = $soon {
            for next in 0..$vectors {
                $(lanes::prefetch(soon.group($g).wrapping_add(next));)+
            }
        }
    };
}
pub(crate) use by_magnitudes;

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

crate::isa::operations::operations! { "avx2,fma",
    fn start(from: &[i32; 16]) -> Sum { lanes::load_i(from) }
    fn to_f(sum: Sum) -> lanes::F { lanes::to_f(sum) }

    fn widen(sum: __m256i, pairs: __m256i) -> __m256i {
        _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
    }

    /// Adds a number to the sums of all columns.
    fn add_to_all(sum: Sum, more: i32) -> Sum {
        let more = _mm256_set1_epi32(more);
        [_mm256_add_epi32(sum[0], more), _mm256_add_epi32(sum[1], more)]
    }
}
