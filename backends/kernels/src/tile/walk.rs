//! Ways through K for the sums of a tile, as macros, so that the sums stay in registers: `by_groups!` takes a step for each row
//! and group, `by_twos!` two for weights in half precision, `by_fours!` the same from registers that hold four groups,
//! `by_pairs!` a step for two rows and two groups, `by_magnitudes!` a step for two groups where they are calm, `by_squares!`
//! reads sums of the matrix unit. With `rows`, a way tells the form of the rows that it reads.

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
                by_twos!(@ load_block, k, $rows, $vectors, $a, blocks, $sums);
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
                by_twos!(@ lower_half, 2 * g, $rows, $vectors, $a, blocks, $sums);
                by_twos!(@ upper_half, 2 * g + 1, $rows, $vectors, $a, blocks, $sums);
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
        by_groups!($rows, $vectors, 0..$job.groups, $a, $panel, $first, $soon, $sums)
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
                let a = arithmetic::spread(unsafe { crate::tile::walk::group($a[I], g) });
                for v in 0..$vectors {
                    $sums[I][v] = arithmetic::step($sums[I][v], a, &blocks[v]);
                }
            });
        }
    };
}
pub(crate) use by_groups;

/// Walks through K by four groups: a register holds four groups of a row, and each instruction takes one of them.
/// Groups that are left are walked through one by one.
#[cfg(target_arch = "aarch64")]
macro_rules! by_fours {
    (rows) => {
        crate::tile::walk::PlainRows
    };
    ($rows:ident, $vectors:ident, $job:ident, $a:ident, $panel:ident, $first:ident, $soon:ident, $sums:ident) => {
        let whole = $job.groups / 4 * 4;
        for g in (0..whole).step_by(4) {
            let mut four = [arithmetic::no_groups(); $rows];
            each_row!($rows, I, {
                // SAFETY: `row_starts` answers for as many groups as the panel has.
                four[I] = unsafe { arithmetic::four_groups($a[I], g) };
            });
            crate::tile::walk::by_fours!(@ $rows, $vectors, $panel, $first, $soon, $sums, g, four, 0 1 2 3);
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
                    let b = arithmetic::quarter(&blocks[v], q);
                    each_row!($rows, I, {
                        $sums[I][v][q] = arithmetic::step_of::<$at>($sums[I][v][q], $four[I], b);
                    });
                }
            }
        )+
    };
}
#[cfg(target_arch = "aarch64")]
pub(crate) use by_fours;

/// Walks through K by pairs of groups, with pairs of rows. A row without a partner is its own partner, whose
/// sums are dropped. A single row, and a last group without a partner, are walked through by groups.
#[cfg(target_arch = "aarch64")]
macro_rules! by_pairs {
    (rows) => {
        crate::tile::walk::PlainRows
    };
    ($rows:ident, $vectors:ident, $job:ident, $a:ident, $panel:ident, $first:ident, $soon:ident, $sums:ident) => {
        let paired = if $rows > 1 { $job.groups / 2 * 2 } else { 0 };
        let mut pairs = [[arithmetic::no_pair(); $vectors]; $rows]; // of which each second stays unused
        for g in (0..paired).step_by(2) {
            if let Some(soon) = $soon {
                for next in 0..$vectors {
                    lanes::prefetch(soon.group(g).wrapping_add(next));
                    lanes::prefetch(soon.group(g + 1).wrapping_add(next));
                }
            }
            // SAFETY: the panel has both groups, and in each VECTORS blocks from the first.
            let [even, odd]: [&[Block; $vectors]; 2] = [g, g + 1].map(|g| unsafe { $panel.group(g, $first) });
            let mut two = [arithmetic::no_rows(); $rows]; // as above
            each_row!($rows, I, {
                if I % 2 == 0 {
                    let rows = [$a[I], $a[if I + 1 < $rows { I + 1 } else { I }]];
                    // SAFETY: `row_starts` answers for as many groups as the panel has.
                    two[I] = unsafe { arithmetic::two_rows(rows, g) };
                }
            });
            for v in 0..$vectors {
                // Columns in the outer loop: their registers are free again after a step of each pair of rows.
                for (c, b) in arithmetic::two_groups(&even[v], &odd[v]).into_iter().enumerate() {
                    each_row!($rows, I, {
                        if I % 2 == 0 {
                            pairs[I][v][c] = arithmetic::step_pair(pairs[I][v][c], two[I], b);
                        }
                    });
                }
            }
        }
        each_row!($rows, I, {
            for v in 0..$vectors {
                $sums[I][v] = arithmetic::add_of_pair($sums[I][v], pairs[I / 2 * 2][v], I % 2);
            }
        });
        crate::tile::walk::by_groups!($rows, $vectors, paired..$job.groups, $a, $panel, $first, $soon, $sums)
    };
}
#[cfg(target_arch = "aarch64")]
pub(crate) use by_pairs;

/// Walks through K by pairs of groups: first those that are calm in all rows, then the others group by group.
#[cfg(target_arch = "x86_64")]
macro_rules! by_magnitudes {
    (rows) => {
        crate::tile::magnitudes::Magnitudes
    };
    ($rows:ident, $vectors:ident, $job:ident, $a:ident, $panel:ident, $first:ident, $soon:ident, $sums:ident) => {
        if $a.iter().all(|row| row.negative_magnitudes == 0) {
            by_magnitudes!(@ false, $rows, $vectors, $job, $a, $panel, $first, $soon, $sums);
        } else {
            by_magnitudes!(@ true, $rows, $vectors, $job, $a, $panel, $first, $soon, $sums);
            each_row!($rows, I, {
                for v in 0..$vectors {
                    $sums[I][v] = arithmetic::add_to_all($sums[I][v], $a[I].negative_magnitudes);
                }
            });
        }
    };
    (@ $signed:literal, $rows:ident, $vectors:ident, $job:ident, $a:ident, $panel:ident, $first:ident, $soon:ident,
     $sums:ident) => {
        use crate::tile::magnitudes::Pairs;
        let pairs = $job.groups / 2;
        for word in 0..pairs.div_ceil(Pairs::MOST) {
            let [calm, others] = Pairs::of(&$a, word, pairs);
            for pair in calm {
                let g = 2 * (Pairs::MOST * word + pair);
                by_magnitudes!(@soon $vectors, $soon, g, g + 1);
                // SAFETY: the panel has both groups, and in each VECTORS blocks from the first.
                let [even, odd]: [&[Block; $vectors]; 2] = [g, g + 1].map(|g| unsafe { $panel.group(g, $first) });
                each_row!($rows, I, {
                    // SAFETY: the rows have as many groups as the panel.
                    let a = [g, g + 1].map(|g| unsafe { arithmetic::spread(&$a[I], g) });
                    for v in 0..$vectors {
                        $sums[I][v] = arithmetic::step_two::<$signed>($sums[I][v], a, [&even[v], &odd[v]]);
                    }
                });
            }
            for pair in others {
                let g = 2 * (Pairs::MOST * word + pair);
                by_magnitudes!(@group $signed, $rows, $vectors, $a, $panel, $first, $soon, $sums, g);
                by_magnitudes!(@group $signed, $rows, $vectors, $a, $panel, $first, $soon, $sums, g + 1);
            }
        }
        if $job.groups % 2 == 1 {
            by_magnitudes!(@group $signed, $rows, $vectors, $a, $panel, $first, $soon, $sums, $job.groups - 1);
        }
    };
    (@group $signed:literal, $rows:ident, $vectors:ident, $a:ident, $panel:ident, $first:ident, $soon:ident,
     $sums:ident, $g:expr) => {
        let g = $g;
        by_magnitudes!(@soon $vectors, $soon, g);
        // SAFETY: the panel has this group, and in it VECTORS blocks from the first.
        let blocks: &[Block; $vectors] = unsafe { $panel.group(g, $first) };
        each_row!($rows, I, {
            // SAFETY: the rows have as many groups as the panel.
            let a = unsafe { arithmetic::spread(&$a[I], g) };
            for v in 0..$vectors {
                $sums[I][v] = arithmetic::step::<$signed>($sums[I][v], a, &blocks[v]);
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
#[cfg(target_arch = "x86_64")]
pub(crate) use by_magnitudes;

/// Reads the sums that the matrix unit has computed, and walks through the groups that it left.
#[cfg(target_arch = "x86_64")]
macro_rules! by_squares {
    (rows) => {
        crate::tile::matrix_unit::Squares
    };
    ($rows:ident, $vectors:ident, $job:ident, $a:ident, $panel:ident, $first:ident, $soon:ident, $sums:ident) => {
        each_row!($rows, I, {
            for v in 0..$vectors {
                // SAFETY: the panel has VECTORS vectors from the first.
                $sums[I][v] = arithmetic::start(unsafe { $a[I].sums($first + v) });
            }
        });
        let groups = $a.map(|row| row.groups);
        let whole = crate::tile::matrix_unit::whole_groups($job);
        crate::tile::walk::by_groups!(
            $rows,
            $vectors,
            whole..$job.groups,
            groups,
            $panel,
            $first,
            $soon,
            $sums
        )
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use by_squares;

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
