//! Sums of int8 products from the processor's matrix unit, AMX.
//!
//! The unit has eight registers of up to 16 × 64 bytes. Four hold sums, [16 rows, 16 columns], two activations,
//! [16 rows, 16 groups], and two weights, [16 groups, 16 columns]: blocks of packed weights as they lie. Sums begin
//! with the columns' starts, as in a tile of vectors.
//!
//! A panel meets up to 32 rows at once, so that each register of weights and activations serves two squares of sums.
//! The sums go to memory, from where the tiles of `nest` finish them as any others. Groups after the last whole sixteen
//! are left for the vectors. The registers are freed before the vectors work again: products with 256 to 3,072 inputs
//! were 5 to 30 % slower on Emerald Rapids where they were kept, although shaping and freeing them takes 120 ns.
//!
//! Instructions are inline: their intrinsics aren't stable. The operating system grants the registers on request, since
//! it then saves 8 KiB more of each thread that uses them.

use crate::lanes::LANES;
use crate::tile::job::{Job, PANEL, Panel};
use std::arch::asm;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::OnceLock;

/// Rows, and groups, of a register.
const SIDE: usize = 16;
/// Rows that meet a panel at once.
const ROWS: usize = 2 * SIDE;
/// Size of weights, in bytes, up to which they are read anew for each 32 rows, from a second-level cache of 2 MiB.
/// Greater ones are read once, and all rows for each panel.
const NEAR: usize = 1 << 20;
/// Bytes to fetch with each register of groups, half of what a square of 32 by 32 reads: the lines of `ahead!`.
/// BERT-base, whose weights come from the third level, takes a ninth less time with it for 64 tokens.
const AHEAD: usize = 1024;
/// Vectors of a panel.
const VECTORS: usize = PANEL / LANES;

/// Sums of a row with a panel, initialised for the vectors that the panel has.
#[repr(align(64))] // so that rows begin at cache lines
pub(crate) struct Sums([MaybeUninit<[i32; LANES]>; VECTORS]);

/// Whether the operating system grants this process the unit.
pub(crate) fn is_granted() -> bool {
    /// Asks for a part of the processor's state: `ARCH_REQ_XCOMP_PERM` of Linux, since 5.16.
    const REQUEST: libc::c_long = 0x1023;
    const TILES: libc::c_long = 18;
    static GRANTED: OnceLock<bool> = OnceLock::new();
    // SAFETY: the call takes two numbers. It changes only what the kernel saves of this process.
    *GRANTED.get_or_init(|| unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST, TILES) } == 0)
}

/// Whether the unit is faster than vectors. With few rows, either waits for the weights: four rows have one speed,
/// eight 1.2 to 2.2 times that of vectors, 64 rows 1.6 to 3.6 times (Emerald Rapids, 256 to 3,072 inputs).
pub(crate) fn is_faster(job: &Job<'_>) -> bool {
    job.rows >= 8 && job.groups >= SIDE
}

/// Groups that the unit multiplies.
pub(crate) fn whole_groups(job: &Job<'_>) -> usize {
    job.groups / SIDE * SIDE
}

/// Shapes of the registers, as LDTILECFG of Intel's manual, volume 2A, reads them.
#[repr(C, align(64))]
struct Shapes {
    palette: u8,
    reserved: [u8; 15],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

impl Shapes {
    /// Registers 0, 1 and 4 for the first sixteen rows, 2, 3 and 5 for the others, 6 and 7 for weights.
    fn of(rows: usize) -> Self {
        let (first, second) = (rows.min(SIDE) as u8, rows.saturating_sub(SIDE) as u8);
        let mut shapes = Self { palette: 1, reserved: [0; 15], row_bytes: [0; 16], rows: [0; 16] };
        let rows = [first, first, second, second, first, second, SIDE as u8, SIDE as u8];
        for (at, rows) in rows.into_iter().enumerate().filter(|(_, rows)| *rows > 0) {
            (shapes.rows[at], shapes.row_bytes[at]) = (rows, 64);
        }
        shapes
    }
}

/// Up to 32 rows of a job, with their sums with a panel.
pub(crate) struct Squares {
    sums: [Sums; ROWS], // initialised: the first `rows.len()`
    rows: Range<usize>,
    /// First column of the panel.
    column: usize,
    shapes: Shapes,
    most_rows: usize,
}

/// One row.
pub(crate) struct Row<'a> {
    pub(crate) groups: *const u8,
    sums: &'a Sums,
}

impl Row<'_> {
    /// Sums of a vector.
    ///
    /// # Safety
    /// The panel that the row met must have that vector.
    #[inline]
    pub(crate) unsafe fn sums(&self, vector: usize) -> &[i32; LANES] {
        // SAFETY: `compute` initialised the sums of all vectors of the panel.
        unsafe { self.sums.0[vector].assume_init_ref() }
    }
}

/// What squares of a panel are computed from.
struct Operands {
    /// First byte of the first row, and of the seventeenth.
    a: [*const u8; 2],
    a_stride: usize,
    /// First block of the squares' columns.
    b: *const u8,
    b_stride: usize,
    /// What is fetched meanwhile, `AHEAD` bytes with each register of groups; it may lie past the end of the weight.
    ahead: *const u8,
    starts: *const [i32; LANES],
    /// First sum of the first row.
    sums: *mut u8,
    /// Registers of groups.
    steps: usize,
}

impl Squares {
    pub(crate) fn new(job: &Job<'_>) -> Self {
        let most_rows = if size_of_val(job.blocks) > NEAR { usize::MAX } else { ROWS };
        let sums = [const { Sums([MaybeUninit::uninit(); VECTORS]) }; ROWS];
        Self { sums, rows: 0..0, column: 0, shapes: Shapes::of(0), most_rows }
    }

    /// The most rows at once.
    pub(crate) fn most_rows(&self, _tall: usize) -> usize {
        self.most_rows
    }

    pub(crate) fn prepare(&mut self, _: &Job<'_>, _: Range<usize>) {}

    /// Computes the sums of some rows with a panel, and of the rows after them for which there is room.
    #[inline]
    pub(crate) fn meet(&mut self, job: &Job<'_>, panel: &Panel<'_>, rows: Range<usize>, to: usize) {
        // Rows only ever come after those before, within a panel and from pass to pass.
        if self.column != panel.column || rows.start < self.rows.start || rows.end > self.rows.end {
            let rows = rows.start..to.min(rows.start + ROWS);
            if rows.len() != self.rows.len() {
                self.shapes = Shapes::of(rows.len());
            }
            (self.rows, self.column) = (rows, panel.column);
            self.compute(job, panel);
        }
    }

    fn compute(&mut self, job: &Job<'_>, panel: &Panel<'_>) {
        // All rows that meet a panel before the next one fetch from there, each time further on.
        let turn = if self.most_rows == ROWS { 0 } else { VECTORS * (self.rows.start / ROWS) };
        let (next, steps) = (panel.blocks.as_ptr_range().end.cast::<u8>(), job.groups / SIDE);
        let a: &[u8] = &job.a[self.rows.start * job.stride..];
        assert!(self.rows.len() <= ROWS && a.len() >= (self.rows.len() - 1) * job.stride + 4 * job.groups);
        assert!(panel.blocks.len() == job.groups * panel.vectors && panel.vectors <= VECTORS);
        let starts = &job.starts[panel.column / LANES..][..panel.vectors];
        // SAFETY: the shapes are those of palette 1, and the kernels of this unit exist only where it was granted.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const self.shapes, options(nostack)) };
        for first in (0..panel.vectors).step_by(2) {
            let operands = Operands {
                a: [a.as_ptr(), a.as_ptr().wrapping_add(SIDE * job.stride)],
                a_stride: job.stride,
                b: panel.blocks[first..].as_ptr().cast(),
                b_stride: size_of_val(&panel.blocks[..panel.vectors]),
                ahead: next.wrapping_add((turn + first) / 2 * steps * AHEAD),
                starts: starts[first..].as_ptr(),
                sums: self.sums.as_mut_ptr().cast::<u8>().wrapping_add(first * size_of::<[i32; LANES]>()),
                steps,
            };
            // SAFETY: rows, panel, starts and sums have the sizes that were asserted, and whole registers of groups.
            unsafe { operands.multiply((self.rows.len() > SIDE, panel.vectors - first > 1)) };
        }
        // SAFETY: it frees the registers, which nothing reads any more.
        unsafe { asm!("tilerelease", options(nostack)) };
    }

    /// Some of the rows, which met a panel.
    #[inline]
    pub(crate) fn rows<const N: usize>(&self, job: &Job<'_>, row: usize) -> [Row<'_>; N] {
        let groups = job.row_starts::<N>(row);
        let from = row - self.rows.start;
        let sums: &[Sums; N] =
            self.sums[from..self.rows.len()].first_chunk().expect("the rows met the panel");
        std::array::from_fn(|i| Row { groups: groups[i], sums: &sums[i] })
    }
}

/// Fetches lines into the second-level cache. Nothing else would: squares read each panel in two strides.
macro_rules! ahead {
    ($($at:literal)+) => { concat!($("prefetcht1 [{ahead} + ", $at, "]\n"),+) };
}

/// Writes the instructions of one choice of squares. A square begins with the starts of its columns, a row for all
/// rows.
macro_rules! squares {
    ($operands:ident, starts: $($start:literal)+, step: $($step:literal)+, sums: $($sums:literal)+) => {
        asm!(
            $($start,)+
            "2:",
            $($step,)+
            ahead!(0 64 128 192 256 320 384 448 512 576 640 704 768 832 896 960),
            "add {ahead}, {ahead_step}",
            "add {a}, 64",
            "add {a2}, 64",
            "add {b}, {b_step}",
            "dec {steps}",
            "jnz 2b",
            $($sums,)+
            a = inout(reg) $operands.a[0] => _,
            a2 = inout(reg) $operands.a[1] => _,
            a_stride = in(reg) $operands.a_stride,
            b = inout(reg) $operands.b => _,
            b_stride = in(reg) $operands.b_stride,
            b_step = in(reg) SIDE * $operands.b_stride,
            ahead = inout(reg) $operands.ahead => _,
            ahead_step = const AHEAD,
            starts = in(reg) $operands.starts,
            none = in(reg) 0usize,
            sums = in(reg) $operands.sums,
            sums_stride = in(reg) size_of::<Sums>(),
            steps = inout(reg) $operands.steps => _,
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        )
    };
}

impl Operands {
    /// Multiplies up to sixteen rows with sixteen columns; up to 32 of each for which `two` says so.
    ///
    /// # Safety
    /// The registers must have their shapes, and the operands as many rows, columns and groups as that reads.
    unsafe fn multiply(self, two: (bool, bool)) {
        match two {
            // SAFETY: the caller says that the operands have all rows, columns and groups.
            (true, true) => unsafe {
                squares!(self,
                    starts: "tileloadd tmm0, [{starts} + {none}]" "tileloadd tmm1, [{starts} + {none} + 64]"
                        "tileloadd tmm2, [{starts} + {none}]" "tileloadd tmm3, [{starts} + {none} + 64]",
                    step: "tileloadd tmm6, [{b} + {b_stride}]" "tileloadd tmm4, [{a} + {a_stride}]"
                        "tdpbusd tmm0, tmm4, tmm6" "tileloadd tmm7, [{b} + {b_stride} + 64]"
                        "tdpbusd tmm1, tmm4, tmm7" "tileloadd tmm5, [{a2} + {a_stride}]"
                        "tdpbusd tmm2, tmm5, tmm6" "tdpbusd tmm3, tmm5, tmm7",
                    sums: "tilestored [{sums} + {sums_stride}], tmm0" "tilestored [{sums} + {sums_stride} + 64], tmm1"
                        "tilestored [{sums} + {sums_stride} + 4096], tmm2"
                        "tilestored [{sums} + {sums_stride} + 4160], tmm3")
            },
            // SAFETY: as above.
            (true, false) => unsafe {
                squares!(self,
                    starts: "tileloadd tmm0, [{starts} + {none}]" "tileloadd tmm2, [{starts} + {none}]",
                    step: "tileloadd tmm6, [{b} + {b_stride}]" "tileloadd tmm4, [{a} + {a_stride}]"
                        "tdpbusd tmm0, tmm4, tmm6" "tileloadd tmm5, [{a2} + {a_stride}]" "tdpbusd tmm2, tmm5, tmm6",
                    sums: "tilestored [{sums} + {sums_stride}], tmm0"
                        "tilestored [{sums} + {sums_stride} + 4096], tmm2")
            },
            // SAFETY: as above.
            (false, true) => unsafe {
                squares!(self,
                    starts: "tileloadd tmm0, [{starts} + {none}]" "tileloadd tmm1, [{starts} + {none} + 64]",
                    step: "tileloadd tmm6, [{b} + {b_stride}]" "tileloadd tmm4, [{a} + {a_stride}]"
                        "tdpbusd tmm0, tmm4, tmm6" "tileloadd tmm7, [{b} + {b_stride} + 64]"
                        "tdpbusd tmm1, tmm4, tmm7",
                    sums: "tilestored [{sums} + {sums_stride}], tmm0"
                        "tilestored [{sums} + {sums_stride} + 64], tmm1")
            },
            // SAFETY: as above.
            (false, false) => unsafe {
                squares!(self,
                    starts: "tileloadd tmm0, [{starts} + {none}]",
                    step: "tileloadd tmm6, [{b} + {b_stride}]" "tileloadd tmm4, [{a} + {a_stride}]"
                        "tdpbusd tmm0, tmm4, tmm6",
                    sums: "tilestored [{sums} + {sums_stride}], tmm0")
            },
        }
    }
}
