//! Ways through K for the sums of a tile, as macros, so that the sums stay in registers: `by_groups!` takes a step for
//! each row and group, `by_twos!` two for weights in half precision. A way that only some instruction sets take lies
//! below `isa`. With `rows`, a way tells the form of the rows that it reads. The nest calls a way `walk!`, and so does
//! a way that calls itself.

use super::job::{Job, Panel};
use std::ops::Range;

/// Rows of a job as they are.
pub(crate) struct PlainRows;

impl PlainRows {
    pub(crate) fn new(_: &Job<'_>) -> Self {
        Self
    }

    /// The most rows at once.
    pub(crate) fn most_rows(&self, _tall: usize) -> usize {
        usize::MAX
    }

    pub(crate) fn prepare(&mut self, _: &Job<'_>, _: Range<usize>) {}

    /// Work before the tiles of some rows and a panel; `to` is the end of the rows that were prepared.
    #[inline]
    pub(crate) fn meet(&mut self, _: &Job<'_>, _: &Panel<'_>, _: Range<usize>, _to: usize) {}

    #[inline]
    pub(crate) fn rows<const ROWS: usize>(&self, job: &Job<'_>, row: usize) -> [*const u8; ROWS] {
        job.row_starts(row)
    }
}

/// Walks through K by twos of weights in half precision, which it widens, unless the panel is widened already.
macro_rules! by_twos {
    (rows) => {
        crate::tile::halves::Halves
    };
    ($rows:ident, $vectors:ident, $job:ident, $a:ident, $panel:ident, $first:ident, $soon:ident, $sums:ident) => {
        let wide = $a[0].wide;
        if !wide.is_null() {
            for k in 0..2 * $job.groups {
                // SAFETY: the widened panel has two rows of its vectors for each group.
                let blocks: &[Block; $vectors] = unsafe { &*wide.add(k * $panel.vectors + $first).cast() };
                walk!(@ load_block, k, $rows, $vectors, $a, blocks, $sums);
            }
        } else {
            for g in 0..$job.groups {
                if let Some(soon) = $soon {
                    for next in 0..$vectors {
                        lanes::prefetch(soon.group(g).wrapping_add(next));
                    }
                }
                // SAFETY: the panel has this group, and in it VECTORS blocks from the first.
                let blocks: &[Block; $vectors] = unsafe { $panel.group(g, $first) };
                walk!(@ lower_half, 2 * g, $rows, $vectors, $a, blocks, $sums);
                walk!(@ upper_half, 2 * g + 1, $rows, $vectors, $a, blocks, $sums);
            }
        }
    };
    (@ $load:ident, $at:expr, $rows:ident, $vectors:ident, $a:ident, $blocks:ident, $sums:ident) => {
        let mut weights = [lanes::splat(0.0); $vectors];
        for v in 0..$vectors {
            weights[v] = lanes::$load(&$blocks[v]);
        }
        each_row!($rows, I, {
            // SAFETY: `row_starts` answers for two values of four bytes for each group.
            let bits = unsafe { crate::tile::walk::group($a[I].values, $at) };
            let a = lanes::splat(f32::from_bits(bits as u32));
            for v in 0..$vectors {
                $sums[I][v] = lanes::fma(a, weights[v], $sums[I][v]);
            }
        });
    };
}
pub(crate) use by_twos;

/// Walks through K group by group: each row's group is spread, and meets the blocks of the group.
macro_rules! by_groups {
    (rows) => {
        crate::tile::walk::PlainRows
    };
    ($rows:ident, $vectors:ident, $job:ident, $a:ident, $panel:ident, $first:ident, $soon:ident, $sums:ident) => {
        crate::tile::walk::by_groups!($rows, $vectors, 0..$job.groups, $a, $panel, $first, $soon, $sums)
    };
    ($rows:ident, $vectors:ident, $groups:expr, $a:ident, $panel:ident, $first:ident, $soon:ident, $sums:ident) => {
        for g in $groups {
            if let Some(soon) = $soon {
                for next in 0..$vectors {
                    lanes::prefetch(soon.group(g).wrapping_add(next));
                }
            }
            // SAFETY: the panel has this group, and in it VECTORS blocks from the first.
            let blocks: &[Block; $vectors] = unsafe { $panel.group(g, $first) };
            each_row!($rows, I, {
                // SAFETY: `row_starts` answers for as many groups as the panel has.
                let a = steps::spread(unsafe { crate::tile::walk::group($a[I], g) });
                for v in 0..$vectors {
                    $sums[I][v] = steps::step($sums[I][v], a, &blocks[v]);
                }
            });
        }
    };
}
pub(crate) use by_groups;

/// Writes a block for each row of a tile, with the row's number as a constant. The compiler might keep a
/// loop, and then all sums would lie in memory to be indexed.
macro_rules! each_row {
    ($rows:ident, $row:ident, $block:block) => {
        each_row!(@ $rows, $row, $block, 0 1 2 3 4 5)
    };
    (@ $rows:ident, $row:ident, $block:block, $($number:literal)+) => {
        $({
            const $row: usize = $number;
            if $row < $rows $block
        })+
    };
}
pub(crate) use each_row;

/// The four bytes of group `g` of a row.
///
/// # Safety
/// The row must have more than `g` groups.
#[inline(always)]
pub(crate) unsafe fn group(row: *const u8, g: usize) -> i32 {
    // SAFETY: the caller says that the group is within the row; the read needs no alignment.
    unsafe { row.wrapping_add(4 * g).cast::<i32>().read_unaligned() }
}
