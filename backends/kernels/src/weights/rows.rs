//! Activations: rows of f32 as they are, or rows quantised in the form that the instruction set multiplies.

use crate::error::{sized, sized_rows};
use crate::lanes::Block;
use crate::precision::{MOST_BYTE, MOST_WORD};
use crate::tile::MatMut;
use crate::{Error, Kernels, Precision, Result};
use std::ops::Range;

/// A reusable buffer of quantised rows. Each row has its own scale, so that its result never depends on other
/// rows.
#[derive(Debug)]
pub struct Rows {
    kernels: Kernels,
    precision: Precision,
    rows: usize,
    k: usize,
    stride: usize,      // bytes, whole blocks
    blocks: Vec<Block>, // [capacity, stride]; blocks, so that rows begin at cache lines with any allocator
    scales: Vec<f32>,   // [capacity]
}

impl Kernels {
    /// A buffer for up to `capacity` quantised rows of `k` values, in the form that these kernels multiply.
    #[must_use]
    pub fn rows(self, precision: Precision, capacity: usize, k: usize) -> Rows {
        Rows::new(self, precision, capacity, k)
    }
}

impl Rows {
    fn new(kernels: Kernels, precision: Precision, capacity: usize, k: usize) -> Self {
        let mut rows =
            Self { kernels, precision, rows: 0, k, stride: 0, blocks: Vec::new(), scales: Vec::new() };
        rows.reshape(precision, capacity, k);
        rows
    }

    /// Changes precision, capacity and width. The buffer allocates only where its memory doesn't suffice.
    pub fn reshape(&mut self, precision: Precision, capacity: usize, k: usize) {
        (self.precision, self.k, self.rows) = (precision, k, 0);
        self.stride = precision.stride(k);
        let blocks = capacity * self.stride / size_of::<Block>();
        self.blocks.resize(self.blocks.len().max(blocks), Block::ZERO);
        self.scales.resize(self.scales.len().max(capacity), 0.0);
    }

    /// Quantises `x` [rows, k] into the buffer. Each row has a scale with which its greatest magnitude
    /// becomes 127 (int8) or 32,767 (int16); bf16 values are rounded and need none.
    ///
    /// # Errors
    /// When there are more rows than the buffer's capacity.
    pub fn quantise(&mut self, x: &[f32], rows: usize) -> Result<()> {
        self.whole(rows)?.quantise(x)
    }

    /// As [`Rows::quantise`], with `limit` as the greatest magnitude: it keeps int16 sums within 32 bits.
    pub fn quantise_to(&mut self, x: &[f32], rows: usize, limit: f32) -> Result<()> {
        self.whole(rows)?.quantise_to(x, limit)
    }

    /// Quantises with one multiplier for all rows, saturating: a calibrated multiplier, or 1024 for fixed
    /// point.
    pub fn quantise_fixed(&mut self, x: &[f32], rows: usize, multiplier: f32) -> Result<()> {
        self.whole(rows)?.quantise_fixed(x, multiplier)
    }

    /// Prepares `rows` rows, which threads may then quantise in [`chunks`](RowsPart::chunks).
    ///
    /// # Errors
    /// When there are more rows than the buffer's capacity.
    pub fn whole(&mut self, rows: usize) -> Result<RowsPart<'_>> {
        self.resize(rows)?;
        let Self { kernels, precision, k, stride, .. } = *self;
        let (bytes, scales) =
            (&mut Block::bytes_mut(&mut self.blocks)[..rows * stride], &mut self.scales[..rows]);
        Ok(RowsPart { kernels, precision, k, stride, first: 0, bytes, scales })
    }

    fn resize(&mut self, rows: usize) -> Result<()> {
        let room = self.scales.len().min(size_of_val(&self.blocks[..]) / self.stride);
        if rows > room {
            sized("rows of an activation buffer", rows, room)?;
        }
        self.rows = rows;
        Ok(())
    }

    /// Prepares `rows` rows for the results of a product, and sets their scales: see
    /// [`Output::Int8`](crate::Output).
    pub fn target(&mut self, rows: usize, multiplier: f32) -> Result<MatMut<'_, u8>> {
        if self.precision != Precision::Int8 {
            let form = self.kernels.flip(self.precision);
            return Err(Error::Form { activations: self.precision, form, weights: Precision::Int8 });
        }
        self.resize(rows)?;
        self.scales[..rows].fill(1.0 / multiplier);
        let bytes = &mut Block::bytes_mut(&mut self.blocks)[..rows * self.stride];
        Ok(MatMut::strided(bytes, rows, self.stride, self.stride)?.split_columns(self.k).0)
    }

    /// All rows as the input of a product.
    #[must_use]
    pub fn view(&self) -> Input<'_> {
        Input {
            precision: self.precision,
            flip: self.kernels.flip(self.precision),
            bytes: Block::bytes(&self.blocks),
            stride: self.stride,
            k: self.k,
            rows: self.rows,
            scales: Some(&self.scales),
        }
    }
}

/// Some rows of a buffer, which one thread quantises.
#[derive(Debug)]
pub struct RowsPart<'a> {
    kernels: Kernels,
    precision: Precision,
    k: usize,
    stride: usize,
    /// Number of the first row.
    first: usize,
    bytes: &'a mut [u8],   // [rows, stride]
    scales: &'a mut [f32], // [rows]
}

impl<'a> RowsPart<'a> {
    /// The first `rows` rows, and the others.
    fn split(self, rows: usize) -> (Self, Self) {
        let (bytes, more_bytes) = self.bytes.split_at_mut(rows * self.stride);
        let (scales, more_scales) = self.scales.split_at_mut(rows);
        let Self { kernels, precision, k, stride, first, .. } = self;
        let part = |first, bytes, scales| Self { kernels, precision, k, stride, first, bytes, scales };
        (part(first, bytes, scales), part(first + rows, more_bytes, more_scales))
    }

    /// Parts of `rows` rows each, but for the last, which has those that are left.
    ///
    /// # Panics
    /// When `rows` is 0.
    pub fn chunks(self, rows: usize) -> impl Iterator<Item = Self> {
        assert!(rows > 0, "a part has at least one row");
        let mut left = Some(self);
        std::iter::from_fn(move || {
            let all = left.take().filter(|all| !all.scales.is_empty())?;
            let count = rows.min(all.scales.len());
            let (these, others) = all.split(count);
            left = Some(others);
            Some(these)
        })
    }

    /// Numbers of the rows.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.first..self.first + self.scales.len()
    }

    /// Quantises `x`, which holds these rows, as [`Rows::quantise`] does.
    ///
    /// # Errors
    /// When `x` holds more or fewer rows, or the buffer was made for f32.
    pub fn quantise(&mut self, x: &[f32]) -> Result<()> {
        if self.precision == Precision::Bf16 {
            return self.each(x, |_, _| (1.0, 1.0)); // a float has a scale of its own
        }
        self.quantise_to(x, most_of(self.precision))
    }

    /// Quantises `x`, which holds these rows, as [`Rows::quantise_to`] does.
    ///
    /// # Errors
    /// As [`quantise`](Self::quantise).
    pub fn quantise_to(&mut self, x: &[f32], limit: f32) -> Result<()> {
        self.each(x, |kernels, x| {
            let most = kernels.abs_max(x);
            // A row of zeros, or so near zero that its multiplier would be infinite, becomes zeros.
            if (limit / most).is_finite() { (limit / most, most / limit) } else { (0.0, 0.0) }
        })
    }

    /// Quantises `x`, which holds these rows, as [`Rows::quantise_fixed`] does.
    ///
    /// # Errors
    /// As [`quantise`](Self::quantise).
    pub fn quantise_fixed(&mut self, x: &[f32], multiplier: f32) -> Result<()> {
        self.each(x, |_, _| (multiplier, 1.0 / multiplier))
    }

    fn each(&mut self, x: &[f32], scale: impl Fn(Kernels, &[f32]) -> (f32, f32)) -> Result<()> {
        sized_rows("activations", x.len(), self.scales.len(), self.k)?;
        if self.precision.of_rows() == Precision::F32 {
            return Err(Error::Unquantised);
        }
        for (row, kept) in self.scales.iter_mut().enumerate() {
            let x = &x[row * self.k..][..self.k];
            let (multiplier, scale) = scale(self.kernels, x);
            *kept = scale;
            let size = self.k * self.precision.bytes();
            let bytes = &mut self.bytes[row * self.stride..];
            match self.precision {
                Precision::Int8 => self.kernels.row_to_int8(x, multiplier, &mut bytes[..size]),
                Precision::Bf16 => self.kernels.row_to_bf16(x, &mut bytes[..size.next_multiple_of(4)]),
                _ => self.kernels.row_to_int16(x, multiplier, &mut bytes[..size]),
            }
        }
        Ok(())
    }
}

/// Greatest quantised magnitude.
fn most_of(precision: Precision) -> f32 {
    if precision == Precision::Int8 { MOST_BYTE } else { MOST_WORD }
}

/// The bytes of f32 values.
pub(crate) fn bytes(x: &[f32]) -> &[u8] {
    // SAFETY: any f32 is four initialised bytes, which need less alignment.
    unsafe { std::slice::from_raw_parts(x.as_ptr().cast::<u8>(), size_of_val(x)) }
}

/// Rows that a product reads.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    pub(crate) precision: Precision,
    pub(crate) flip: u8,
    pub(crate) bytes: &'a [u8],
    pub(crate) stride: usize, // bytes
    pub(crate) k: usize,
    pub(crate) rows: usize,
    pub(crate) scales: Option<&'a [f32]>,
}

impl<'a> Input<'a> {
    /// f32 rows [rows, k] as they are.
    pub fn f32(x: &'a [f32], rows: usize, k: usize) -> Result<Self> {
        sized_rows("activations", x.len(), rows, k)?;
        Ok(Self { precision: Precision::F32, flip: 0, bytes: bytes(x), stride: 4 * k, k, rows, scales: None })
    }

    /// Replaces `values` by the rows of f32 [rows, k]: for products by other code than the kernels.
    ///
    /// # Errors
    /// When the rows are quantised.
    pub fn copy_f32(self, values: &mut Vec<f32>) -> Result<()> {
        if self.precision != Precision::F32 {
            let (activations, form) = (self.precision, self.flip);
            return Err(Error::Form { activations, form, weights: Precision::F32 });
        }
        values.clear();
        for row in self.bytes.chunks(self.stride.max(1)).take(self.rows) {
            values.extend(row.as_chunks().0[..self.k].iter().map(|bytes| f32::from_le_bytes(*bytes)));
        }
        Ok(())
    }

    /// Some of the rows, such as a thread's share.
    ///
    /// # Panics
    /// When the range ends past the rows.
    #[must_use]
    pub fn rows(self, rows: Range<usize>) -> Self {
        assert!(rows.start <= rows.end && rows.end <= self.rows, "rows {rows:?} of {}", self.rows);
        let from = (rows.start * self.stride).min(self.bytes.len());
        let scales = self.scales.map(|scales| &scales[rows.clone()]);
        Self { bytes: &self.bytes[from..], rows: rows.len(), scales, ..self }
    }
}
