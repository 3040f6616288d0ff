//! Packed weights with scales for short blocks.

use super::rows::{BLOCK, GROUPS};
use crate::error::sized;
use crate::lanes::{Block, LANES};
use crate::memory::Blocks;
use crate::{Error, Result};

/// Form of quanta and scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaledForm {
    /// Whether quanta have 4 bits instead of 8.
    pub four_bits: bool,
    /// Number that a quantum has too much.
    pub zero: u8,
    /// Blocks of a scale in 32 values: 1, or 2 for 16 values each.
    pub scales: usize,
    /// Whether 32 values have a minimum, which is added to each.
    pub minima: bool,
}

/// A row of weights.
#[derive(Clone, Debug, Default)]
pub struct ScaledRow {
    /// Quanta `[K]`, without a sign.
    pub quanta: Vec<u8>,
    /// Scales in half precision `[K / 32 · scales]`.
    pub scales: Vec<u16>,
    /// Minima in half precision `[K / 32]`; none where the form has none.
    pub minima: Vec<u16>,
}

/// Halves of sixteen rows.
pub(crate) type Halves = [u16; LANES];

/// Packed weights [N, K].
#[derive(Debug)]
pub struct ScaledWeights {
    pub(crate) form: ScaledForm,
    pub(crate) n: usize,
    /// Blocks of a row.
    pub(crate) blocks: usize,
    /// Quanta [N / 16, blocks, quanta of sixteen rows].
    quanta: Blocks,
    /// Scales [N / 16, blocks, scales].
    scales: Vec<Halves>,
    /// Minima [N / 16, blocks].
    minima: Vec<Halves>,
}

impl ScaledForm {
    /// Vectors of sixteen rows' quanta in a block: two groups of 4 bits share a vector.
    pub(crate) fn vectors(self) -> usize {
        if self.four_bits { GROUPS / 2 } else { GROUPS }
    }
}

impl ScaledWeights {
    /// Packs `n` rows of `k` weights, a multiple of 32, each of which `fill` puts into the given row.
    ///
    /// # Errors
    /// When `k` is no multiple of 32, or a row has another length, or a scale isn't finite.
    pub fn pack(
        form: ScaledForm,
        (n, k): (usize, usize),
        mut fill: impl FnMut(usize, &mut ScaledRow),
    ) -> Result<Self> {
        let blocks = k / BLOCK;
        sized("weights of a row", k, blocks * BLOCK)?;
        let places = n.div_ceil(LANES) * blocks;
        let mut made = Self {
            form,
            n,
            blocks,
            quanta: Blocks::zeros(places * form.vectors()),
            scales: vec![[0; LANES]; places * form.scales],
            minima: vec![[0; LANES]; if form.minima { places } else { 0 }],
        };
        let mut row = ScaledRow::default();
        for at in 0..n {
            fill(at, &mut row);
            sized("quanta of a row", row.quanta.len(), k)?;
            sized("scales of a row", row.scales.len(), blocks * form.scales)?;
            sized("minima of a row", row.minima.len(), if form.minima { blocks } else { 0 })?;
            // The exponent of what isn't finite has all bits.
            if row.scales.iter().chain(&row.minima).any(|half| half & 0x7C00 == 0x7C00) {
                return Err(Error::Infinite { row: at });
            }
            made.place(at, &row);
        }
        Ok(made)
    }

    fn place(&mut self, at: usize, row: &ScaledRow) {
        let (panel, lane, vectors) = (at / LANES, at % LANES, self.form.vectors());
        let quanta = &mut self.quanta[panel * self.blocks * vectors..];
        for (block, values) in row.quanta.chunks_exact(BLOCK).enumerate() {
            for (group, four) in values.as_chunks::<4>().0.iter().enumerate() {
                let vector = &mut quanta[block * vectors + group % vectors].0[4 * lane..][..4];
                let shift = if group < vectors { 0 } else { 4 };
                vector.iter_mut().zip(four).for_each(|(to, quantum)| *to |= quantum << shift);
            }
        }
        let of_panel = |all: &mut [Halves], row: &[u16]| {
            all[panel * row.len()..].iter_mut().zip(row).for_each(|(to, half)| to[lane] = *half);
        };
        of_panel(&mut self.scales, &row.scales);
        of_panel(&mut self.minima, &row.minima);
    }

    /// Number of outputs.
    #[must_use]
    pub fn n(&self) -> usize {
        self.n
    }

    /// Number of inputs.
    #[must_use]
    pub fn k(&self) -> usize {
        self.blocks * BLOCK
    }

    /// Bytes of the packed weights.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let halves = size_of::<Halves>() * (self.scales.len() + self.minima.len());
        size_of::<Block>() * self.quanta.len() + halves
    }

    /// Quanta, scales and minima of sixteen rows.
    pub(crate) fn panel(&self, panel: usize) -> (&[Block], &[Halves], &[Halves]) {
        let part = |each: usize| panel * self.blocks * each..(panel + 1) * self.blocks * each;
        let minima = if self.form.minima { &self.minima[part(1)] } else { &[] };
        (&self.quanta[part(self.form.vectors())], &self.scales[part(self.form.scales)], minima)
    }
}
