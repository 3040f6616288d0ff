//! The right-hand operands of attention's products: keys and values of a head, packed like weights.
//!
//! In int8, each key has a scale of its own, which is the scale of a column of scores. Keys are quantised row by row
//! first; packing then moves bytes only. In int16, all values share a scale, because their sum runs over positions.

use crate::lanes::{Block, LANES};
use crate::memory::start;
use crate::precision::{MOST_BYTE, MOST_WORD, to_limit};
use crate::tile::Mat;
use crate::tile::job::PANEL;
use crate::{Kernels, Precision};

/// Bytes of a block of a quantised row: as many columns as a panel has.
const WIDE: usize = size_of::<Block>();

/// A packed operand [4·groups, columns] with the scales of its columns. The buffers only grow.
#[derive(Debug, Default)]
pub(super) struct Operand {
    pub(super) groups: usize,
    pub(super) columns: usize,
    pub(super) blocks: Vec<Block>, // [columns / 16 rounded up, groups], in the order of panels
    pub(super) starts: Vec<[i32; LANES]>, // [columns / 16 rounded up]
    pub(super) scales: Vec<f32>,   // [columns rounded up to 16]
    rows: Vec<Block>,              // of int8: keys before packing, [positions, width / 64 rounded up]
}

impl Operand {
    /// Packs keys [positions, width] as a weight [width, positions], in f32 or int8.
    pub(super) fn keys(
        &mut self,
        kernels: Kernels,
        precision: Precision,
        keys: Mat<'_>,
        shape: (usize, usize),
    ) {
        let (positions, width) = shape;
        if precision == Precision::F32 {
            self.reshape(width, positions);
            return kernels.pack_rows(keys, shape, &mut self.blocks);
        }
        self.reshape(width.div_ceil(4), positions);
        self.quantise(kernels, keys, shape);
        let of_row = width.div_ceil(WIDE).max(1);
        let flip = kernels.flip(precision);
        for (sixteen, keys) in self.rows.chunks(LANES * of_row).enumerate() {
            let mut rows: [&[Block]; LANES] = [&[]; LANES];
            for (lane, (row, key)) in rows.iter_mut().zip(keys.chunks_exact(of_row)).enumerate() {
                *row = key;
                self.starts[sixteen][lane] = start(flip, Block::bytes(key));
            }
            let panel = sixteen * LANES / PANEL * PANEL;
            let step = PANEL.min(positions - panel).div_ceil(LANES);
            let first = panel / LANES * self.groups + sixteen - panel / LANES;
            kernels.interleave(&rows, &[&[]; LANES], self.groups, &mut self.blocks[first..], step);
        }
    }

    /// Packs values [positions, width] as a weight [positions, width], in f32 or int16.
    pub(super) fn values(
        &mut self,
        kernels: Kernels,
        precision: Precision,
        values: Mat<'_>,
        shape: (usize, usize),
    ) {
        let (positions, width) = shape;
        if precision == Precision::F32 {
            self.reshape(positions, width);
            return kernels.pack_columns(values, shape, &mut self.blocks);
        }
        self.reshape(positions.div_ceil(2), width);
        let (data, stride) = values.parts();
        let of_row = |row: usize| kernels.abs_max(&data[row * stride..][..width]);
        let most = (0..positions).map(of_row).fold(0.0, f32::max);
        let (multiplier, scale) = to_limit(most, MOST_WORD);
        self.scales[..width].fill(scale);
        kernels.pack_pairs(values, shape, multiplier, &mut self.blocks);
    }

    /// Makes room for packed columns, with scales of 1.
    fn reshape(&mut self, groups: usize, columns: usize) {
        let vectors = columns.div_ceil(LANES);
        (self.groups, self.columns) = (groups, columns);
        self.blocks.resize(vectors * groups, Block::ZERO);
        self.starts.clear();
        self.starts.resize(vectors, [0; LANES]);
        self.scales.clear();
        self.scales.resize(vectors * LANES, 1.0);
    }

    /// Quantises keys to int8, each with a scale of its own.
    fn quantise(&mut self, kernels: Kernels, from: Mat<'_>, (count, width): (usize, usize)) {
        let (data, stride) = from.parts();
        let of_row = width.div_ceil(WIDE).max(1);
        self.rows.clear();
        self.rows.resize(count * of_row, Block::ZERO);
        let keys = self.rows.chunks_exact_mut(of_row).zip(&mut self.scales);
        for (at, (to, kept)) in keys.enumerate() {
            let row = &data[at * stride..][..width];
            let (multiplier, scale) = to_limit(kernels.abs_max(row), MOST_BYTE);
            *kept = scale;
            for (x, block) in row.chunks(WIDE).zip(to) {
                kernels.row_to_weights(x, multiplier, &mut block.0[..x.len()]);
            }
        }
    }
}
