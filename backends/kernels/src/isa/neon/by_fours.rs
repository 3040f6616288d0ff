//! The way of f32 products through K on NEON, and of int8 products with SDOT, with what it needs besides a step.

use crate::lanes::Block;
use std::arch::aarch64::*;

/// Walks through K by four groups: a register holds four groups of a row, and each instruction takes one of them.
/// Groups that are left are walked through one by one.
macro_rules! by_fours {
    (rows) => {
        crate::tile::walk::PlainRows
    };
    ($rows:ident, $vectors:ident, $job:ident, $a:ident, $panel:ident, $first:ident, $soon:ident, $sums:ident) => {
        let whole = $job.groups / 4 * 4;
        for g in (0..whole).step_by(4) {
            let mut four = [steps::no_groups(); $rows];
            each_row!($rows, I, {
                // SAFETY: `row_starts` answers for as many groups as the panel has.
                four[I] = unsafe { steps::four_groups($a[I], g) };
            });
            walk!(@ $rows, $vectors, $panel, $first, $soon, $sums, g, four, 0 1 2 3);
        }
        crate::tile::walk::by_groups!($rows, $vectors, whole..$job.groups, $a, $panel, $first, $soon, $sums)
    };
    (@ $rows:ident, $vectors:ident, $panel:ident, $first:ident, $soon:ident, $sums:ident, $g:ident, $four:ident,
     $($at:literal)+) => {
        $(
            if let Some(soon) = $soon {
                for next in 0..$vectors {
                    lanes::prefetch(soon.group($g + $at).wrapping_add(next));
                }
            }
            // SAFETY: the panel has these groups, and in each VECTORS blocks from the first.
            let blocks: &[Block; $vectors] = unsafe { $panel.group($g + $at, $first) };
            for v in 0..$vectors {
                // Quarters in the outer loop: a register is free again after a step of each row.
                for q in 0..4 {
                    let b = steps::quarter(&blocks[v], q);
                    each_row!($rows, I, {
                        $sums[I][v][q] = steps::step_of::<$at>($sums[I][v][q], $four[I], b);
                    });
                }
            }
        )+
    };
}
pub(crate) use by_fours;

/// Four groups of a row from `g` on.
///
/// # Safety
/// The row must have more than `g + 3` groups.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) unsafe fn four_groups(row: *const u8, g: usize) -> int8x16_t {
    // SAFETY: the caller says that these sixteen bytes are within the row; the load needs no alignment.
    unsafe { vld1q_s8(row.wrapping_add(4 * g).cast()) }
}

crate::isa::operations::operations! { "neon",
    fn no_groups() -> int8x16_t { vdupq_n_s8(0) }

    /// Four of sixteen columns.
    fn quarter(block: &Block, q: usize) -> int8x16_t {
        // SAFETY: sixteen of 64 bytes are there; the load needs no alignment.
        unsafe { vld1q_s8(block.0[16 * q..].as_ptr().cast()) }
    }
}
