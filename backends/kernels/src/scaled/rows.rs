//! Activations as int8 values, with a scale for 32 of a row.

/// Values of a block.
pub(crate) const BLOCK: usize = 32;

/// Groups of four values in a block.
pub(crate) const GROUPS: usize = BLOCK / 4;

/// 32 values of a row.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct RowBlock {
    /// Int8 values in groups of four.
    pub(crate) values: [[u8; 4]; GROUPS],
    /// Scale, with the precision of a half.
    pub(crate) scale: f32,
    /// Sum of the values times the scale, likewise.
    pub(crate) total: f32,
    /// Sums of the first and the last sixteen values.
    pub(crate) sums: [i32; 2],
}

/// A finite `x` with the eleven bits that half precision has. ggml keeps scales and sums of activations, keys
/// and values so: with more bits, nearly equal words would change places against llama.cpp more often.
/// Numbers too large for a half stay finite.
#[inline]
#[must_use]
pub fn in_half(x: f32) -> f32 {
    // The least exponent of a normal half is -14, and its last bit is 2^-10 of that.
    let exponent = (x.to_bits() >> 23 & 0xFF).max(127 - 14);
    // Added and subtracted again, 1.5·2^13 of the number's power leaves so many bits, to the nearest even.
    let large = f32::from_bits((exponent + 13) << 23) * 1.5;
    if exponent + 13 < 0xFF { (x + large) - large } else { x }
}

/// Quantised activations [M, K].
#[derive(Clone, Debug, Default)]
pub struct ScaledRows {
    pub(crate) rows: usize,
    /// Blocks of a row.
    pub(crate) blocks: usize,
    all: Vec<RowBlock>,
}

impl ScaledRows {
    /// Space for rows of `blocks` blocks, which replace those before. The buffer only grows.
    pub(crate) fn resize(&mut self, rows: usize, blocks: usize) -> &mut [RowBlock] {
        (self.rows, self.blocks) = (rows, blocks);
        self.all.resize(rows * blocks, RowBlock::default());
        &mut self.all
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    pub(crate) fn row(&self, row: usize) -> &[RowBlock] {
        &self.all[row * self.blocks..(row + 1) * self.blocks]
    }
}
