//! Packed weights: B [K, N] as panels of 64 columns, within a panel group by group of K, sixteen columns in a
//! block.
//!
//! A vector holds one group of sixteen columns, so that no sum crosses lanes. The last panel is as wide as
//! its columns need, in blocks of sixteen. Zero weights fill K up to whole groups, whatever the activations
//! contain there. All instruction sets share the layout.

use super::layout::{Layout, Sixteen};
use super::rows::Input;
use crate::error::{sized, sized_rows};
use crate::lanes::{Block, LANES};
use crate::memory::Blocks;
use crate::memory::SharedBytes;
use crate::tile::job::{Job, PANEL, Sink};
use crate::tile::{Activation, Blocking, Blockings, Mat, Output};
use crate::{Error, Kernels, Precision, Result};
use std::ops::Range;

/// Packed weights with the scales and bias of their columns, and the function that multiplies with them.
#[derive(Clone, Debug)]
pub struct Weights {
    pub(super) kernels: Kernels,
    pub(super) multiply: unsafe fn(&mut Job<'_>),
    pub(super) precision: Precision,
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) groups: usize,
    pub(super) blocks: Blocks, // [N / 16 rounded up, groups], in the order of panels
    pub(super) starts: Vec<[i32; LANES]>, // [N / 16 rounded up]
    pub(super) scales: Vec<f32>, // [N rounded up to 16]
    pub(super) bias: Vec<f32>, // [N rounded up to 16]
    pub(super) blockings: Blockings,
}

impl Weights {
    /// Packs values of `BYTES` bytes each, block by block: the weights are read once, at the speed of memory.
    pub(crate) fn pack<T: Copy, const BYTES: usize>(
        kernels: Kernels,
        precision: Precision,
        values: &[T],
        (k, n): (usize, usize),
        layout: Layout,
        bytes: impl Fn(T) -> [u8; BYTES] + Copy,
    ) -> Self {
        let groups = (k * BYTES).div_ceil(4);
        let blocks = Blocks::zeros(n.div_ceil(LANES) * groups);
        let mut packed = Self::of(kernels, precision, (k, n, groups), blocks);
        for column in (0..n).step_by(LANES) {
            let (first, step) = packed.vector(column);
            for (g, block) in packed.blocks.iter_mut().skip(first).step_by(step).take(groups).enumerate() {
                Sixteen { values, shape: (k, n), column, from: g * 4 / BYTES }.pack(layout, block, bytes);
            }
        }
        packed
    }

    /// Weights with these blocks, and with starts of 0, scales of 1 and no bias.
    fn of(
        kernels: Kernels,
        precision: Precision,
        (k, n, groups): (usize, usize, usize),
        blocks: Blocks,
    ) -> Self {
        let vectors = n.div_ceil(LANES);
        Self {
            kernels,
            multiply: kernels.multiply(precision),
            precision,
            k,
            n,
            groups,
            starts: vec![[0; LANES]; vectors],
            scales: vec![1.0; vectors * LANES],
            bias: vec![0.0; vectors * LANES],
            blockings: Blockings::built_in(size_of_val(&*blocks)),
            blocks,
        }
    }

    /// The int8 weights whose panels are `panels`, with whole groups of K and whole vectors of columns.
    pub(crate) fn in_panels(kernels: Kernels, panels: &SharedBytes, (k, n): (usize, usize)) -> Self {
        Self::of(kernels, Precision::Int8, (k, n, k / 4), Blocks::of(panels))
    }

    /// The kernels that packed the weights.
    pub(crate) fn kernels(&self) -> Kernels {
        self.kernels
    }

    /// Number that is XORed with each byte of the activations.
    pub(crate) fn flip(&self) -> u8 {
        self.kernels.flip(self.precision)
    }

    /// Index of the first block of sixteen columns, and the distance between their blocks.
    pub(super) fn vector(&self, column: usize) -> (usize, usize) {
        let panel = column / PANEL * PANEL;
        let vectors = PANEL.min(self.n - panel).div_ceil(LANES);
        (panel / LANES * self.groups + (column - panel) / LANES, vectors)
    }

    /// The blocks of sixteen columns along K.
    pub(crate) fn sixteen(&self, sixteen: usize) -> impl Iterator<Item = &Block> {
        let (first, step) = self.vector(LANES * sixteen);
        self.blocks.iter().skip(first).step_by(step).take(self.groups)
    }

    /// Resizes the weight to `n` columns, which the caller fills; allocates only past the capacity.
    pub(super) fn clear(&mut self, n: usize) {
        self.n = n;
        self.starts.clear();
        self.scales.clear();
        self.bias.clear();
        self.blocks.resize(n.div_ceil(LANES) * self.groups);
    }

    /// Uses the built-in blocking for this size.
    pub(super) fn block_by_size(&mut self) {
        self.blockings = Blockings::built_in(size_of_val(&*self.blocks));
    }

    /// Sets the start of a column's sums, which undoes the effect of the activations' private form.
    pub(crate) fn set_start(&mut self, column: usize, start: i32) {
        self.starts[column / LANES][column % LANES] = start;
    }

    /// Sets the starts of all columns of int8 weights.
    pub(crate) fn set_starts(&mut self) {
        let offset = 4 * 128 * self.groups as u32; // each byte is counted with 128 added
        for sixteen in 0..self.starts.len() {
            let mut sums = [0u32; LANES];
            self.sixteen(sixteen).for_each(|block| block.add_bytes_to(&mut sums));
            // It wraps as the sums do that it corrects.
            self.starts[sixteen] = sums.map(|sum| (sum.wrapping_sub(offset) as i32).wrapping_mul(-128));
        }
    }

    /// The same weights with a scale for each column, or one scale for all: the value of a weight's unit.
    pub fn with_scales(mut self, scales: &[f32]) -> Result<Self> {
        match *scales {
            [all] => self.scales[..self.n].fill(all),
            _ => {
                sized("scales", scales.len(), self.n)?;
                self.scales[..self.n].copy_from_slice(scales);
            }
        }
        Ok(self)
    }

    /// The blocking of products with so many rows.
    #[must_use]
    pub fn blocking(&self, rows: usize) -> Blocking {
        self.blockings.of(rows)
    }

    /// Sets the blocking of products with so many rows, and with other numbers of rows in the same class.
    pub fn set_blocking(&mut self, rows: usize, blocking: Blocking) {
        self.blockings.set(rows, blocking);
    }

    /// The same weights with a bias for each column.
    pub fn with_bias(mut self, bias: &[f32]) -> Result<Self> {
        sized("bias", bias.len(), self.n)?;
        self.bias[..self.n].copy_from_slice(bias);
        Ok(self)
    }

    /// Columns of a panel; a product's range of columns begins and ends at panels.
    pub const PANEL: usize = PANEL;

    /// Number of inputs.
    #[must_use]
    pub fn k(&self) -> usize {
        self.k
    }

    /// Number of outputs.
    #[must_use]
    pub fn n(&self) -> usize {
        self.n
    }

    /// Precision of the values.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Size in memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.blocks)
            + size_of_val(&*self.starts)
            + size_of_val(&*self.scales)
            + size_of_val(&*self.bias)
    }

    /// The columns of one of `of` threads: whole panels, divided as evenly as possible. The range is empty
    /// for some threads where there are few panels.
    #[must_use]
    pub fn share(&self, thread: usize, of: usize) -> Range<usize> {
        let panels = self.n.div_ceil(PANEL);
        let bound = |thread: usize| (panels * thread / of * PANEL).min(self.n);
        bound(thread)..bound(thread + 1)
    }

    /// y = activation(A·B + bias) + residual, for the rows of the input and a range of columns, which the
    /// residual covers too.
    ///
    /// # Errors
    /// When an operand has another shape or form, or the range cuts a panel.
    pub fn multiply(
        &self,
        a: Input<'_>,
        columns: Range<usize>,
        activation: Activation,
        residual: Option<Mat<'_>>,
        output: Output<'_>,
    ) -> Result<()> {
        self.check(&a, &columns, residual.as_ref())?;
        let sink = self.sink(&a, &columns, output)?;
        let mut job = Job {
            a: a.bytes,
            stride: a.stride,
            row_bytes: self.row_bytes(),
            rows: a.rows,
            row_scales: a.scales,
            blocks: &self.blocks,
            groups: self.groups,
            columns,
            starts: &self.starts,
            scales: &self.scales,
            bias: &self.bias,
            activation,
            residual,
            sink,
            blocking: self.blockings.of(a.rows),
        };
        // SAFETY: the function came from `kernels`, whose instruction set was found on this processor.
        unsafe { (self.multiply)(&mut job) };
        Ok(())
    }

    /// Bytes of a row of activations in whole groups: four each, or two f32 values for weights in half precision.
    fn row_bytes(&self) -> usize {
        if self.precision == Precision::F16 { 8 * self.groups } else { 4 * self.groups }
    }

    pub(super) fn check(
        &self,
        a: &Input<'_>,
        columns: &Range<usize>,
        residual: Option<&Mat<'_>>,
    ) -> Result<()> {
        sized("inputs of a row", a.k, self.k)?;
        if a.precision != self.precision.of_rows() || a.flip != self.flip() {
            return Err(Error::Form { activations: a.precision, form: a.flip, weights: self.precision });
        }
        let whole = |bound: usize| bound.is_multiple_of(PANEL) || bound == self.n;
        if columns.start > columns.end || columns.end > self.n || !whole(columns.start) || !whole(columns.end)
        {
            return Err(Error::Columns { start: columns.start, end: columns.end, n: self.n });
        }
        residual.map_or(Ok(()), |residual| residual.fits(a.rows, columns.len()))
    }

    fn sink<'a>(&self, a: &Input<'_>, columns: &Range<usize>, output: Output<'a>) -> Result<Sink<'a>> {
        match output {
            Output::F32(out) => {
                out.fits(a.rows, columns.len())?;
                Ok(Sink::F32(out))
            }
            Output::Int8 { to, multiplier } => {
                to.fits(a.rows, columns.len())?;
                Ok(Sink::Int8 { out: to, multiplier, flip: self.kernels.flip(Precision::Int8) })
            }
            Output::Best { best, mask } => {
                sized("best of each row", best.len(), a.rows)?;
                if let Some(mask) = mask {
                    sized_rows(
                        "mask",
                        mask.words.len(),
                        a.rows,
                        mask.words_per_row.max(self.n.div_ceil(64)),
                    )?;
                }
                Ok(Sink::Best { best, mask })
            }
        }
    }
}
