//! One call of a product as the kernels see it: borrowed parts whose sizes were checked when it was made.

use super::blocking::Blocking;
use super::matrix::{Mat, MatMut};
use crate::lanes::{Block, LANES};
use std::ops::Range;

/// Columns of a panel: four 512-bit vectors, enough sums in flight for one row, and 24 for six.
pub(crate) const PANEL: usize = 64;

/// What a product does to its sums after scales and bias.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activation {
    /// Nothing.
    #[default]
    None,
    /// Negative values become zero.
    Relu,
    /// x·σ(x).
    Swish,
    /// σ(x) = 1/(1 + e⁻ˣ).
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
    /// x·Φ(x), with the normal distribution's Φ itself and not tanh's approximation of it.
    Gelu,
}

/// The greatest value of a row, and its column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    /// The value.
    pub value: f32,
    /// Its column; [`Best::NONE`]'s if no column was allowed, or none was a number above -∞.
    pub column: usize,
}

impl Best {
    /// What a search starts with.
    pub const NONE: Self = Self { value: f32::NEG_INFINITY, column: usize::MAX };

    /// The better of two, as found in two ranges of columns; of equals the one further left.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let wins = other.value > self.value || (other.value == self.value && other.column < self.column);
        if wins { other } else { self }
    }

    /// Takes its place among the greatest, which are in order: behind those that are as great, which are further left. The
    /// last of them goes.
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

/// Which columns each row may choose from: a bit per column, 64 to a word.
#[derive(Clone, Copy, Debug)]
pub struct Mask<'a> {
    /// [rows, words_per_row]
    pub words: &'a [u64],
    /// At least the number of columns / 64, rounded up.
    pub words_per_row: usize,
}

impl Mask<'_> {
    /// The bits of sixteen columns from `column`, a multiple of sixteen.
    pub(crate) fn sixteen(&self, row: usize, column: usize) -> u16 {
        (self.words[row * self.words_per_row + column / 64] >> (column % 64)) as u16
    }
}

/// Where a product leaves its results; each view covers the input's rows and the range of columns.
#[derive(Debug)]
pub enum Output<'a> {
    /// As they are.
    F32(MatMut<'a, f32>),
    /// Requantised: round(y · multiplier) in -127..=127, into a buffer's [`Rows::target`](crate::Rows::target).
    Int8 {
        /// The buffer.
        to: MatMut<'a, u8>,
        /// As was given to `target`.
        multiplier: f32,
    },
    /// Only the greatest of each row, against what is there already.
    Best {
        /// [rows]
        best: &'a mut [Best],
        /// The columns that each row may choose from; its bits count from column 0.
        mask: Option<Mask<'a>>,
    },
}

/// Where results go, as the kernels see it.
pub(crate) enum Sink<'a> {
    F32(MatMut<'a, f32>),
    Int8 { out: MatMut<'a, u8>, multiplier: f32, flip: u8 },
    Best { best: &'a mut [Best], mask: Option<Mask<'a>> },
}

/// 64 columns of a weight, or what is left at its end.
pub(crate) struct Panel<'a> {
    /// [groups, vectors]
    pub(crate) blocks: &'a [Block],
    pub(crate) vectors: usize,
    /// The first column.
    pub(crate) column: usize,
}

impl Panel<'_> {
    /// Blocks of group `g` from vector `first`.
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

    /// What is fetched while a tile of `wide` vectors from `first` is summed up, the `turn`th of so many `tiles` of rows:
    /// the blocks that lie `prefetch` ahead of its own, or the tile's share of the panel that follows.
    pub(crate) fn soon(
        &self,
        first: usize,
        wide: usize,
        prefetch: u16,
        (turn, tiles): (usize, usize),
    ) -> Option<Soon> {
        let (from, share) = match prefetch {
            0 => return None,
            Blocking::NEXT_PANEL => {
                let passes = self.vectors.div_ceil(wide);
                let (part, parts) = (turn * passes + first / wide, tiles * passes);
                (self.blocks.len() * (parts + part) / parts, parts)
            }
            blocks => (first + usize::from(blocks), 1),
        };
        Some(Soon { from: self.blocks.as_ptr().wrapping_add(from), step: Soon::UNIT * self.vectors / share })
    }
}

/// What will be needed soon. Nothing is read there, so it may lie past the weight's end.
#[derive(Clone, Copy)]
pub(crate) struct Soon {
    from: *const Block,
    /// How far to go on with each group: this many blocks, divided by `UNIT`.
    step: usize,
}

impl Soon {
    const UNIT: usize = 256;

    /// Where to fetch while group `g` is multiplied.
    #[inline(always)]
    pub(crate) fn group(self, g: usize) -> *const Block {
        self.from.wrapping_add(g * self.step / Self::UNIT)
    }
}

/// A product to be done.
pub(crate) struct Job<'a> {
    /// [rows, stride] bytes, of which each row's first 4·groups count.
    pub(crate) a: &'a [u8],
    pub(crate) stride: usize,
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

    /// Where some rows of activations start; each has at least the job's groups.
    #[inline]
    pub(crate) fn row_starts<const ROWS: usize>(&self, row: usize) -> [*const u8; ROWS] {
        let all = &self.a[row * self.stride..][..(ROWS - 1) * self.stride + 4 * self.groups];
        std::array::from_fn(|i| all.as_ptr().wrapping_add(i * self.stride))
    }

    /// What some rows' units stand for.
    #[inline]
    pub(crate) fn row_scales<const ROWS: usize>(&self, row: usize) -> &'a [f32; ROWS] {
        match self.row_scales {
            Some(scales) => scales[row..].first_chunk().expect("a scale for each row"),
            None => const { &[1.0; ROWS] },
        }
    }
}
