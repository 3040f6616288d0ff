//! Choosing columns of a weight: what a shortlist does once per sentence.
//!
//! In a packed weight one column's groups lie a block apart, a cache line for every four bytes. So columns that are
//! chosen from are kept a second time, as rows: choosing one reads its bytes in order, and a block is written whole from
//! sixteen of them. Nothing is allocated once the target has been as large.

use super::Weights;
use crate::error::sized;
use crate::lanes::{Block, LANES};
use crate::pack::{to_127, to_i8};
use crate::{Error, Precision, Result};

/// A weight's columns as rows, to choose from.
#[derive(Clone, Debug)]
pub struct Candidates {
    weights: Weights,   // as they were packed, but without blocks
    rows: Vec<[u8; 4]>, // [N, groups]
}

impl Candidates {
    /// The columns of a weight, which it takes apart.
    #[must_use]
    pub fn new(mut weights: Weights) -> Self {
        let groups = weights.groups;
        let mut rows = vec![[0; 4]; weights.n * groups];
        for (sixteen, rows) in rows.chunks_mut((LANES * groups).max(1)).enumerate() {
            let (first, step) = weights.vector(LANES * sixteen);
            for (g, block) in weights.blocks.iter().skip(first).step_by(step).take(groups).enumerate() {
                for (row, four) in rows.chunks_exact_mut(groups).zip(block.0.as_chunks().0) {
                    row[g] = *four;
                }
            }
        }
        weights.blocks = Vec::new();
        Self { weights, rows }
    }

    /// The weight that they are the columns of, packed again.
    pub fn packed(&self) -> Result<Weights> {
        let all: Vec<u32> = (0..self.weights.n as u32).collect();
        let mut packed = self.room(all.len());
        self.gather(&all, &mut packed)?;
        Ok(packed)
    }

    /// One column's values [K], without its bias: embeddings that are output weights too are read so.
    pub fn column(&self, column: usize, out: &mut [f32]) -> Result<()> {
        out.fill(0.0);
        self.add_column(column, 1.0, out)
    }

    /// out += a column's values·`factor`, [K]: embeddings, scaled, onto positions.
    pub fn add_column(&self, column: usize, factor: f32, out: &mut [f32]) -> Result<()> {
        let from = &self.weights;
        sized("values of a column", out.len(), from.k)?;
        if column >= from.n {
            return Err(Error::Columns { start: column, end: column + 1, n: from.n });
        }
        let row = self.rows[column * from.groups..][..from.groups].as_flattened();
        from.kernels.add_row(row, from.precision, from.scales[column] * factor, out);
        Ok(())
    }

    /// How many columns there are.
    #[must_use]
    pub fn n(&self) -> usize {
        self.weights.n
    }

    /// How many values a column has.
    #[must_use]
    pub fn k(&self) -> usize {
        self.weights.k
    }

    /// A packed weight without columns, with room for `capacity` of them: the target of [`Candidates::gather`].
    #[must_use]
    pub fn room(&self, capacity: usize) -> Weights {
        let vectors = capacity.div_ceil(LANES);
        Weights {
            n: 0,
            blocks: Vec::with_capacity(vectors * self.weights.groups),
            starts: Vec::with_capacity(vectors),
            scales: Vec::with_capacity(vectors * LANES),
            bias: Vec::with_capacity(vectors * LANES),
            ..self.weights
        }
    }

    /// As [`Candidates::room`], in int8: what is gathered from f32 into it is quantised on the way, a scale per column, to
    /// the same integers as [`Kernels::quantise_int8`](crate::Kernels::quantise_int8) gives.
    #[must_use]
    pub fn room_int8(&self, capacity: usize) -> Weights {
        let (kernels, groups) = (self.weights.kernels, self.weights.k.div_ceil(4));
        let mut room = self.room(capacity);
        (room.precision, room.multiply, room.groups) =
            (Precision::Int8, kernels.multiply(Precision::Int8), groups);
        room
    }

    /// Makes `into` the weight of these columns, in their order, with their scales and bias.
    pub fn gather(&self, columns: &[u32], into: &mut Weights) -> Result<()> {
        let n = self.weights.n;
        if let Some(&column) = columns.iter().find(|&&column| column as usize >= n) {
            return Err(Error::Columns { start: column as usize, end: column as usize + 1, n });
        }
        sized("inputs of the gathered weight", into.k, self.weights.k)?;
        let from = &self.weights;
        let on_line = (from.precision, into.precision) == (Precision::F32, Precision::Int8);
        if !on_line && (into.precision != from.precision || into.flip() != from.flip()) {
            let form = from.flip();
            return Err(Error::Form { activations: from.precision, form, weights: into.precision });
        }
        into.clear(columns.len());
        for sixteen in columns.chunks(LANES) {
            self.gather_ends(sixteen, into);
        }
        if on_line {
            columns.iter().enumerate().for_each(|(at, column)| self.quantise_into(*column, into, at));
            return Ok(());
        }
        for (panel, columns) in columns.chunks(super::job::PANEL).enumerate() {
            let first = panel * super::job::PANEL / LANES * self.weights.groups;
            for (v, sixteen) in columns.chunks(LANES).enumerate() {
                let vectors = columns.len().div_ceil(LANES);
                self.gather_blocks(sixteen, into.blocks[first + v..].iter_mut().step_by(vectors));
            }
        }
        Ok(())
    }

    /// Starts, scales and bias of up to sixteen columns.
    fn gather_ends(&self, columns: &[u32], into: &mut Weights) {
        let from = &self.weights;
        let mut start = [0; LANES];
        for (start, &column) in start.iter_mut().zip(columns) {
            let column = column as usize;
            *start = from.starts[column / LANES][column % LANES];
            into.scales.push(from.scales[column]);
            into.bias.push(from.bias[column]);
        }
        into.starts.push(start);
        into.scales.resize(into.starts.len() * LANES, 1.0);
        into.bias.resize(into.starts.len() * LANES, 0.0);
    }

    /// A column of f32 as the int8 column `at`.
    fn quantise_into(&self, column: u32, into: &mut Weights, at: usize) {
        let row = &self.rows[column as usize * self.weights.k..][..self.weights.k];
        let value = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
        let most = row.iter().fold(0.0f32, |most, x| value(x).abs().max(most));
        let (unit, scale) = to_127(most);
        let (first, step) = into.vector(at / LANES * LANES);
        let (lane, mut sum) = (4 * (at % LANES), 0);
        for (block, group) in into.blocks[first..].iter_mut().step_by(step).zip(row.chunks(4)) {
            let mut bytes = [0; 4];
            for (byte, x) in bytes.iter_mut().zip(group) {
                let whole = to_i8(value(x) * unit);
                sum += i32::from(whole);
                *byte = whole as u8;
            }
            block.0[lane..lane + 4].copy_from_slice(&bytes);
        }
        into.scales[at] = scale * self.weights.scales[column as usize];
        if into.flip() != 0 {
            into.set_start(at, sum.wrapping_mul(-128)); // wraps as the sums that it corrects do
        }
    }

    /// One vector of columns, group by group.
    fn gather_blocks<'a>(&self, columns: &[u32], blocks: impl Iterator<Item = &'a mut Block>) {
        let groups = self.weights.groups;
        let mut rows: [&[[u8; 4]]; LANES] = [&[]; LANES]; // [16][groups]
        for (row, &column) in rows.iter_mut().zip(columns) {
            *row = &self.rows[column as usize * groups..][..groups];
        }
        for (g, block) in blocks.take(groups).enumerate() {
            for (four, row) in block.0.as_chunks_mut().0.iter_mut().zip(rows) {
                *four = row.get(g).copied().unwrap_or_default(); // lanes past the last column are zero
            }
        }
    }
}
