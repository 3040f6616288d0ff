//! Candidates: columns of a weight in a form from which a shortlist gathers some, once for each sentence.
//!
//! In a packed weight, the groups of one column lie a block apart, so that four bytes of a column take a
//! cache line. Candidates keep columns as rows instead: gathering a column reads its bytes in order, and
//! transposing sixteen groups at once makes blocks of sixteen columns. Gathering allocates nothing once the
//! target has been as large.
//!
//! Columns in int8 that lie as rows in a mapped file already are read from there. So a large vocabulary costs
//! neither a copy nor the memory of words that don't occur.
//!
//! A product that reads columns where they lie, without gathering, was slower on Zen 5. Each of its columns
//! is a jump in memory, and its sums cross lanes. A step of one row with 352 int8 columns of 256 values took
//! 0.98 µs, and 1.6 µs where other sentences had emptied the near cache. The step with gathered columns took
//! 0.57 and 1.0 µs, and gathering took 3.2 µs for all steps of a sentence. Four rows with their own columns
//! took 4.0 µs, and 2.7 µs with the gathered union, which is 2.7 times as large.

use super::packed::Weights;
use crate::error::{sized, sized_rows};
use crate::lanes::{Block, LANES};
use crate::memory::Blocks;
use crate::memory::{Columns, SharedBytes, starts};
use crate::precision::{MOST_BYTE, to_i8, to_limit};
use crate::{Error, Precision, Result};

/// The columns of a weight as rows, from which some are gathered.
#[derive(Clone, Debug)]
pub struct Candidates {
    weights: Weights, // as packed, but without blocks
    rows: Columns,
}

impl Candidates {
    /// The columns of `weights`.
    #[must_use]
    pub fn new(weights: Weights) -> Self {
        let bare = Weights {
            n: 0,
            blocks: Blocks::with_capacity(0),
            starts: Vec::new(),
            scales: Vec::new(),
            bias: Vec::new(),
            ..weights
        };
        let mut all = Self { weights: bare, rows: Columns::Own(Vec::new()) };
        all.take_apart(&weights);
        all
    }

    /// Replaces the columns by those of `rows` [N, K] in int8, which are read where they lie. An empty bias
    /// is none. The answer is false, without effect, where the columns have another precision, or where rows
    /// aren't whole, aligned blocks: such columns must be packed.
    ///
    /// # Errors
    /// When an operand has another shape, or a value is -128.
    pub fn share(&mut self, rows: &SharedBytes, scales: &[f32], bias: &[f32]) -> Result<bool> {
        let (k, n, blocks) = (self.weights.k, scales.len(), rows.blocks());
        let whole = k.is_multiple_of(size_of::<Block>()) && !blocks.is_empty();
        if self.weights.precision != Precision::Int8 || !whole {
            return Ok(false);
        }
        sized_rows("shared columns", size_of_val(blocks), n, k)?;
        if !bias.is_empty() {
            sized("bias", bias.len(), n)?;
        }
        let starts = starts(blocks, k, self.weights.flip())?;
        let filled = |values: &[f32], fill| {
            let mut all = values.to_vec();
            all.resize(starts.len() * LANES, fill);
            all
        };
        (self.weights.scales, self.weights.bias) = (filled(scales, 1.0), filled(bias, 0.0));
        (self.weights.n, self.weights.starts) = (n, starts);
        self.rows = Columns::Shared(rows.clone());
        Ok(true)
    }

    /// Adds the columns of another weight behind the present ones, which must fill whole vectors. So a large
    /// weight can be packed in parts, and never lies in memory twice.
    pub fn append(&mut self, weights: &Weights) -> Result<()> {
        sized("inputs of the columns", weights.k, self.weights.k)?;
        sized("columns before others", self.weights.n, self.weights.n.next_multiple_of(LANES))?;
        if weights.precision != self.weights.precision || weights.flip() != self.weights.flip() {
            let (activations, form) = (self.weights.precision, self.weights.flip());
            return Err(Error::Form { activations, form, weights: weights.precision });
        }
        self.take_apart(weights);
        Ok(())
    }

    /// Reserves memory for so many more columns.
    pub fn reserve(&mut self, columns: usize) {
        let blocks = columns * self.blocks();
        if let Columns::Own(rows) = &mut self.rows {
            rows.reserve_exact(blocks);
        }
    }

    fn take_apart(&mut self, weights: &Weights) {
        let (groups, blocks) = (weights.groups, self.blocks());
        let all = self.rows.own();
        let first = all.len();
        all.resize(first + weights.n * blocks, Block::ZERO);
        for (sixteen, rows) in all[first..].chunks_mut((LANES * blocks).max(1)).enumerate() {
            let (first, step) = weights.vector(LANES * sixteen);
            for (g, block) in weights.blocks.iter().skip(first).step_by(step).take(groups).enumerate() {
                for (row, four) in rows.chunks_exact_mut(blocks).zip(block.0.as_chunks::<4>().0) {
                    row[g / LANES].0[4 * (g % LANES)..][..4].copy_from_slice(four);
                }
            }
        }
        self.weights.n += weights.n;
        self.weights.starts.extend_from_slice(&weights.starts);
        self.weights.scales.extend_from_slice(&weights.scales);
        self.weights.bias.extend_from_slice(&weights.bias);
    }

    /// Number of blocks of a column.
    fn blocks(&self) -> usize {
        self.weights.groups.div_ceil(LANES)
    }

    /// The blocks of a column, of all `rows`.
    fn row<'a>(&self, rows: &'a [Block], column: u32) -> &'a [Block] {
        &rows[column as usize * self.blocks()..][..self.blocks()]
    }

    /// All columns as packed weights. The blocking is the built-in one for their size, not the blocking of
    /// the part that was packed first.
    pub fn packed(&self) -> Result<Weights> {
        let all: Vec<u32> = (0..self.weights.n as u32).collect();
        let mut packed = self.room(all.len());
        self.gather(&all, &mut packed)?;
        packed.block_by_size();
        Ok(packed)
    }

    /// Copies the values of a column `[K]` to `out`, without its bias. Embeddings that are output weights as
    /// well are read so.
    pub fn column(&self, column: usize, out: &mut [f32]) -> Result<()> {
        out.fill(0.0);
        self.add_column(column, 1.0, out)
    }

    /// out += the values of a column·`factor`, `[K]`: adds scaled embeddings to positions.
    pub fn add_column(&self, column: usize, factor: f32, out: &mut [f32]) -> Result<()> {
        let from = &self.weights;
        sized("values of a column", out.len(), from.k)?;
        if column >= from.n {
            return Err(Error::Columns { start: column, end: column + 1, n: from.n });
        }
        let bytes = from.k * from.precision.bytes();
        let row = &Block::bytes(self.row(self.rows.blocks(), column as u32))[..bytes];
        from.kernels.add_row(row, from.precision, from.scales[column] * factor, out);
        Ok(())
    }

    /// Number of columns.
    #[must_use]
    pub fn n(&self) -> usize {
        self.weights.n
    }

    /// Number of values in a column.
    #[must_use]
    pub fn k(&self) -> usize {
        self.weights.k
    }

    /// Packed weights without columns, with memory for `capacity` columns: the target of
    /// [`Candidates::gather`].
    #[must_use]
    pub fn room(&self, capacity: usize) -> Weights {
        let vectors = capacity.div_ceil(LANES);
        Weights {
            n: 0,
            blocks: Blocks::with_capacity(vectors * self.weights.groups),
            starts: Vec::with_capacity(vectors),
            scales: Vec::with_capacity(vectors * LANES),
            bias: Vec::with_capacity(vectors * LANES),
            ..self.weights
        }
    }

    /// As [`Candidates::room`], in int8. Gathering from f32 into it quantises with a scale for each column,
    /// to the same integers as quantisation before loading.
    #[must_use]
    pub fn room_int8(&self, capacity: usize) -> Weights {
        let (kernels, groups) = (self.weights.kernels, self.weights.k.div_ceil(4));
        let mut room = self.room(capacity);
        (room.precision, room.multiply, room.groups) =
            (Precision::Int8, kernels.multiply(Precision::Int8), groups);
        room
    }

    /// Replaces the columns of `into` by these columns, in their order, with their scales and bias.
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
        let rows = self.rows.blocks();
        for (vector, sixteen) in columns.chunks(LANES).enumerate() {
            let (first, step) = into.vector(LANES * vector);
            let next = columns.get(LANES * (vector + 1)..).unwrap_or_default();
            let blocks = &mut into.blocks[first..];
            let [sixteen, next] = [sixteen, next].map(|columns| self.sixteen(rows, columns));
            from.kernels.interleave(&sixteen, &next, from.groups, blocks, step);
        }
        Ok(())
    }

    /// The rows of up to sixteen columns, of `all`; a missing column has an empty row.
    fn sixteen<'a>(&self, all: &'a [Block], columns: &[u32]) -> [&'a [Block]; LANES] {
        let mut rows: [&[Block]; LANES] = [&[]; LANES]; // [16][groups / 16]
        rows.iter_mut().zip(columns).for_each(|(row, column)| *row = self.row(all, *column));
        rows
    }

    /// Copies the starts, scales and bias of up to sixteen columns.
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

    /// Quantises an f32 column into the int8 column `at`.
    fn quantise_into(&self, column: u32, into: &mut Weights, at: usize) {
        let row = &Block::bytes(self.row(self.rows.blocks(), column)).as_chunks().0[..self.weights.k];
        let value = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
        let most = row.iter().fold(0.0f32, |most, x| value(x).abs().max(most));
        let (unit, scale) = to_limit(most, MOST_BYTE);
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
            into.set_start(at, sum.wrapping_mul(-128)); // wraps as the sums do that it corrects
        }
    }
}
