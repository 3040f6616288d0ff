//! A job: one call of a product as the kernels see it, with borrowed operands whose sizes are checked.

use super::blocking::Blocking;
use super::matrix::{Mat, MatMut};
use crate::lanes::{Block, LANES};
use std::ops::Range;

/// Columns of a panel: four 512-bit vectors, which are enough sums in flight for one row, and 24 sums for six
/// rows.
pub(crate) const PANEL: usize = 64;

/// Activation of a product, applied after scales and bias.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activation {
    /// No activation.
    #[default]
    None,
    /// max(x, 0).
    Relu,
    /// x·σ(x).
    Swish,
    /// [`Swish`](Self::Swish) within 4.2e-4 of 1 or of x, in two thirds of its time: for results that are quantised.
    SwishNear,
    /// σ(x) = 1/(1 + e⁻ˣ).
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
    /// x·Φ(x), with Φ of the normal distribution itself, not the approximation by tanh.
    Gelu,
    /// [`Gelu`](Self::Gelu) within 3e-5 of 1 or of x, in a third of its time: for results that are quantised.
    GeluNear,
    /// x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))/2, the approximation of [`Gelu`](Self::Gelu) by tanh.
    GeluTanh,
}

impl Activation {
    /// The cheaper form for results that are rounded to 8 bits, which changes them far more.
    #[must_use]
    pub fn before_rounding(self) -> Self {
        match self {
            Self::Swish => Self::SwishNear,
            Self::Gelu => Self::GeluNear,
            exact => exact,
        }
    }
}

/// The greatest value of a row, and its column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    /// Greatest value.
    pub value: f32,
    /// Column of the value. It is the column of [`Best::NONE`] if no column was allowed, or no value was
    /// above -∞.
    pub column: usize,
}

impl Best {
    /// The start of a search: no column.
    pub const NONE: Self = Self { value: f32::NEG_INFINITY, column: usize::MAX };

    /// The better of two, as found in two ranges of columns; of equal values the one with the lower column.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let wins = other.value > self.value || (other.value == self.value && other.column < self.column);
        if wins { other } else { self }
    }

    /// Inserts itself into the greatest values, which are in descending order. It stands behind equal values,
    /// which have lower columns; the last value is dropped.
    pub(crate) fn enter(self, greatest: &mut [Self]) {
        if greatest.last().is_some_and(|last| self.value > last.value) {
            let place = greatest.partition_point(|other| other.value >= self.value);
            greatest[place..].rotate_right(1);
            greatest[place] = self;
        }
    }

    pub(crate) fn challenge(&mut self, values: &[f32; LANES], column: usize) {
        for (lane, &value) in values.iter().enumerate() {
            if value > self.value {
                *self = Self { value, column: column + lane };
            }
        }
    }
}

/// The columns that each row may choose: a bit for each column, 64 columns in a word.
#[derive(Clone, Copy, Debug)]
pub struct Mask<'a> {
    /// Bits, [rows, words_per_row].
    pub words: &'a [u64],
    /// Words of a row: at least the number of columns / 64, rounded up.
    pub words_per_row: usize,
}

impl Mask<'_> {
    /// Whether a row may choose a column.
    ///
    /// # Panics
    /// When the mask has no such row or column.
    #[must_use]
    pub fn allows(&self, row: usize, column: usize) -> bool {
        self.words[row * self.words_per_row + column / 64] >> (column % 64) & 1 == 1
    }

    /// The bits of sixteen columns from `column`, a multiple of sixteen.
    pub(crate) fn sixteen(&self, row: usize, column: usize) -> u16 {
        (self.words[row * self.words_per_row + column / 64] >> (column % 64)) as u16
    }
}

/// Target of a product's results. Each view covers the rows of the input and the range of columns.
#[derive(Debug)]
pub enum Output<'a> {
    /// f32 values.
    F32(MatMut<'a, f32>),
    /// Requantised values, round(y · multiplier) in -127..=127, in the buffer of
    /// [`Rows::target`](crate::Rows::target).
    Int8 {
        /// Buffer for the values.
        to: MatMut<'a, u8>,
        /// Multiplier as given to `target`.
        multiplier: f32,
    },
    /// The greatest value of each row, compared with the value that is there already.
    Best {
        /// Greatest values, `[rows]`.
        best: &'a mut [Best],
        /// Columns that each row may choose; the bits count from column 0.
        mask: Option<Mask<'a>>,
    },
}

/// Target of the results as the kernels see it.
pub(crate) enum Sink<'a> {
    F32(MatMut<'a, f32>),
    Int8 { out: MatMut<'a, u8>, multiplier: f32, flip: u8 },
    Best { best: &'a mut [Best], mask: Option<Mask<'a>> },
}

/// A panel: 64 columns of a weight, or the columns that are left at its end.
pub(crate) struct Panel<'a> {
    /// Blocks, [groups, vectors].
    pub(crate) blocks: &'a [Block],
    pub(crate) vectors: usize,
    /// First column of the panel.
    pub(crate) column: usize,
}

impl Panel<'_> {
    /// The blocks of group `g` from vector `first` on.
    ///
    /// # Safety
    /// The panel must have more than `g` groups, and at least `first + VECTORS` vectors.
    #[inline(always)]
    pub(crate) unsafe fn group<const VECTORS: usize>(&self, g: usize, first: usize) -> &[Block; VECTORS] {
        let at = g * self.vectors + first;
        debug_assert!(at + VECTORS <= self.blocks.len(), "group {g} is past the panel");
        // SAFETY: the caller says that the group is within the panel.
        let blocks = unsafe { self.blocks.as_ptr().add(at) };
        // SAFETY: as above; blocks of a group lie side by side.
        unsafe { &*blocks.cast() }
    }

    /// The prefetches of a tile of `wide` vectors from `first` on, which is number `turn` of `tiles` tiles of
    /// rows. They fetch the blocks that lie `prefetch` ahead of the tile's own, or the tile's share of the
    /// next panel.
    pub(crate) fn soon(
        &self,
        first: usize,
        wide: usize,
        prefetch: u16,
        (turn, tiles): (usize, usize),
    ) -> Option<PrefetchPlan> {
        let (from, share) = match prefetch {
            0 => return None,
            Blocking::NEXT_PANEL => {
                let passes = self.vectors.div_ceil(wide);
                let (part, parts) = (turn * passes + first / wide, tiles * passes);
                (self.blocks.len() * (parts + part) / parts, parts)
            }
            blocks => (first + usize::from(blocks), 1),
        };
        Some(PrefetchPlan {
            from: self.blocks.as_ptr().wrapping_add(from),
            step: PrefetchPlan::UNIT * self.vectors / share,
        })
    }
}

/// Blocks to prefetch. A prefetch reads nothing, so that it may lie past the end of the weight.
#[derive(Clone, Copy)]
pub(crate) struct PrefetchPlan {
    from: *const Block,
    /// Advance with each group, in blocks·`UNIT`.
    step: usize,
}

impl PrefetchPlan {
    const UNIT: usize = 256;

    /// Address to prefetch during group `g`.
    #[inline(always)]
    pub(crate) fn group(self, g: usize) -> *const Block {
        self.from.wrapping_add(g * self.step / Self::UNIT)
    }
}

/// One product with its operands.
pub(crate) struct Job<'a> {
    /// Activations: [rows, stride] bytes, of which the first `row_bytes` of each row count.
    pub(crate) a: &'a [u8],
    pub(crate) stride: usize,
    pub(crate) row_bytes: usize,
    pub(crate) rows: usize,
    pub(crate) row_scales: Option<&'a [f32]>, // [rows]
    pub(crate) blocks: &'a [Block],
    pub(crate) groups: usize,
    pub(crate) columns: Range<usize>,
    pub(crate) starts: &'a [[i32; LANES]], // [N / 16, rounded up]
    pub(crate) scales: &'a [f32],          // [N, rounded up to 16]
    pub(crate) bias: &'a [f32],            // [N, rounded up to 16]
    pub(crate) activation: Activation,
    pub(crate) residual: Option<Mat<'a>>, // [rows, columns]
    pub(crate) sink: Sink<'a>,
    pub(crate) blocking: Blocking,
}

impl<'a> Job<'a> {
    /// The panels of the job's columns.
    pub(crate) fn panels(&self) -> impl Iterator<Item = Panel<'a>> + use<'a> {
        let (blocks, groups, columns) = (self.blocks, self.groups, self.columns.clone());
        let end = columns.end;
        columns.step_by(PANEL).map(move |column| {
            let vectors = PANEL.min(end - column).div_ceil(LANES);
            let from = column / LANES * groups;
            Panel { blocks: &blocks[from..from + groups * vectors], vectors, column }
        })
    }

    /// Pointers to the first byte of some rows of activations, each of which has at least `row_bytes`.
    #[inline]
    pub(crate) fn row_starts<const ROWS: usize>(&self, row: usize) -> [*const u8; ROWS] {
        let all = &self.a[row * self.stride..][..(ROWS - 1) * self.stride + self.row_bytes];
        std::array::from_fn(|i| all.as_ptr().wrapping_add(i * self.stride))
    }

    /// Scales of some rows.
    #[inline]
    pub(crate) fn row_scales<const ROWS: usize>(&self, row: usize) -> &'a [f32; ROWS] {
        match self.row_scales {
            Some(scales) => scales[row..].first_chunk().expect("a scale for each row"),
            None => const { &[1.0; ROWS] },
        }
    }
}
