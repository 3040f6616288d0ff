//! A tensor of [`Weights`](crate::Weights): typed and shaped numbers with their scales, as engines
//! ask for them.

use std::borrow::Cow;
use std::ops::Range;

use crate::numbers::{Numbers, Plain, copy};
use crate::quantise::{bf16_to_f32, f16_to_f32};
use crate::record::{ElementOrder, Scales};
use crate::stored::{File, Item, TensorBytes};
use crate::{DType, Error, Fault, Result};

/// A checked tensor, which borrows from its [`Weights`](crate::Weights).
#[derive(Clone, Copy)]
pub struct Tensor<'a> {
    pub(crate) file: &'a File,
    pub(crate) name: &'a str,
    pub(crate) item: &'a Item,
}

impl<'a> Tensor<'a> {
    /// Name in the file.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Number type of the elements.
    pub fn dtype(&self) -> DType {
        self.item.dtype
    }

    /// Dimensions; a scalar has none.
    pub fn shape(&self) -> &'a [usize] {
        &self.item.shape
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shape().iter().product() // the parser checked the product against the file
    }

    /// Whether the tensor has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Order of a matrix's elements.
    pub fn layout(&self) -> ElementOrder {
        self.item.layout
    }

    /// Scales of integers; `None` for plain numbers.
    pub fn scales(&self) -> Option<&'a Scales> {
        self.item.scales.as_ref()
    }

    /// Rows and columns; a vector of n elements is one row.
    ///
    /// # Errors
    /// When the tensor has more than two dimensions.
    pub fn matrix(&self) -> Result<(usize, usize)> {
        match *self.shape() {
            [] => Ok((1, 1)),
            [columns] => Ok((1, columns)),
            [rows, columns] => Ok((rows, columns)),
            _ => Err(self.fault(format!("has shape {:?}; a matrix was expected", self.shape()))),
        }
    }

    /// The tensor, if it is a matrix of this shape; a vector of n elements counts as `[1, n]`.
    ///
    /// # Errors
    /// When it has another shape.
    pub fn expect(self, rows: usize, columns: usize) -> Result<Self> {
        if self.matrix()? == (rows, columns) {
            return Ok(self);
        }
        Err(self.fault(format!("has shape {:?}; [{rows}, {columns}] was expected", self.shape())))
    }

    /// Elements stored as f32.
    ///
    /// # Errors
    /// When they have another type; [`to_f32`](Self::to_f32) converts.
    pub fn f32(&self) -> Result<&'a [f32]> {
        self.typed(DType::F32, Numbers::F32)
    }

    /// Bits of elements stored as IEEE half.
    ///
    /// # Errors
    /// When they have another type.
    pub fn f16(&self) -> Result<&'a [u16]> {
        self.typed(DType::F16, Numbers::F16)
    }

    /// Elements stored as i16.
    ///
    /// # Errors
    /// When they have another type.
    pub fn i16(&self) -> Result<&'a [i16]> {
        self.typed(DType::I16, Numbers::I16)
    }

    /// Elements stored as i8.
    ///
    /// # Errors
    /// When they have another type.
    pub fn i8(&self) -> Result<&'a [i8]> {
        self.typed(DType::I8, Numbers::I8)
    }

    /// Elements stored as u8.
    ///
    /// # Errors
    /// When they have another type.
    pub fn u8(&self) -> Result<&'a [u8]> {
        self.typed(DType::U8, Numbers::U8)
    }

    /// Values as f32, row-major, with scales applied; borrowed where they are stored so.
    ///
    /// # Errors
    /// When the elements are integers without scales, whose values are unknown.
    pub fn to_f32(&self) -> Result<Cow<'a, [f32]>> {
        let (values, order) = self.stored_f32()?;
        if order == ElementOrder::RowMajor {
            return Ok(values);
        }
        let (rows, columns) = self.matrix()?;
        Ok(transposed(&values, columns, rows).into())
    }

    /// Values as f32 in the order in which they lie in the file, and that order; quantised values are
    /// row-major.
    fn stored_f32(&self) -> Result<(Cow<'a, [f32]>, ElementOrder)> {
        let order = if self.scales().is_some() { ElementOrder::RowMajor } else { self.layout() };
        Ok((self.plain_or_dequantised()?, order))
    }

    fn plain_or_dequantised(&self) -> Result<Cow<'a, [f32]>> {
        match (self.dtype(), self.scales()) {
            (DType::F32, _) => self.f32().map(Cow::Borrowed),
            (DType::F16, _) => Ok(self.f16()?.iter().map(|bits| f16_to_f32(*bits)).collect()),
            (DType::BF16, _) => Ok(self.raw().chunks_exact(2).map(bf16_to_f32).collect()),
            (DType::I8, Some(scales)) => self.dequantise(self.i8()?, scales).map(Cow::Owned),
            (DType::I16, Some(scales)) => self.dequantise(self.i16()?, scales).map(Cow::Owned),
            (dtype, _) => Err(self.fault(format!("holds plain {dtype}; weights were expected"))),
        }
    }

    /// As [`to_f32`](Self::to_f32), for weights, which must be finite: other values would spread to all
    /// results.
    ///
    /// # Errors
    /// As [`to_f32`](Self::to_f32), and when a value is infinite or NaN.
    pub fn finite_f32(&self) -> Result<Cow<'a, [f32]>> {
        self.to_f32().and_then(|values| self.finite(values))
    }

    /// As [`finite_f32`](Self::finite_f32), in the order in which plain values lie in the file, and that order.
    ///
    /// # Errors
    /// As [`finite_f32`](Self::finite_f32).
    pub fn finite_stored_f32(&self) -> Result<(Cow<'a, [f32]>, ElementOrder)> {
        let (values, order) = self.stored_f32()?;
        Ok((self.finite(values)?, order))
    }

    /// The bits of finite values in half precision, in the order in which they lie in the file.
    ///
    /// # Errors
    /// When the tensor has another number type, or a value is infinite or NaN.
    pub fn finite_f16(&self) -> Result<&'a [u16]> {
        const EXPONENT: u16 = 0x7C00;
        let values = self.f16()?;
        match values.iter().find(|bits| *bits & EXPONENT == EXPONENT) {
            Some(bits) => Err(self.fault(format!("holds {}; weights are finite", f16_to_f32(*bits)))),
            None => Ok(values),
        }
    }

    fn finite(&self, values: Cow<'a, [f32]>) -> Result<Cow<'a, [f32]>> {
        // The loop has no early end, so that it is vectorised.
        if values.iter().fold(true, |all, value| all & value.is_finite()) {
            return Ok(values);
        }
        let odd = values.iter().find(|value| !value.is_finite()).copied().unwrap_or(f32::NAN);
        Err(self.fault(format!("holds {odd}; weights are finite")))
    }

    fn dequantise<T: Copy + Into<f32>>(&self, numbers: &[T], scales: &Scales) -> Result<Vec<f32>> {
        let (rows, columns) = self.matrix()?;
        let mut values = Vec::with_capacity(numbers.len());
        for row in 0..rows {
            values.extend((0..columns).map(|column| {
                let q = numbers[self.layout().offset(row, column, rows, columns)].into();
                scales.value(q, row, column)
            }));
        }
        Ok(values)
    }

    /// Some columns of a plain matrix in the file as a tensor of its own; `None` where it has no such columns.
    pub(crate) fn columns(&self, columns: Range<usize>) -> Option<Item> {
        let &[rows, width] = self.shape() else { return None };
        let plain = self.layout() == ElementOrder::RowMajor && self.scales().is_none();
        if !plain || columns.is_empty() || columns.end > width {
            return None;
        }
        let size = self.dtype().size();
        let span = columns.start * size..columns.end * size;
        let bytes: Vec<u8> =
            self.raw().chunks_exact(width * size).flat_map(|row| &row[span.clone()]).copied().collect();
        let numbers = match self.dtype() {
            DType::F32 => Numbers::F32(copy(&bytes)),
            DType::F16 => Numbers::F16(copy(&bytes)),
            _ => return None,
        };
        Some(Item::owned(self.dtype(), vec![rows, columns.len()], numbers, None))
    }

    /// Bytes of the elements, row-major.
    pub(crate) fn row_major_bytes(&self) -> Result<Vec<u8>> {
        let raw = self.file.elements(self.item);
        let order = self.layout();
        if order == ElementOrder::RowMajor {
            return Ok(raw.into_owned());
        }
        let ((rows, columns), size) = (self.matrix()?, self.dtype().size());
        let mut bytes = Vec::with_capacity(raw.len());
        for row in 0..rows {
            for column in 0..columns {
                bytes.extend_from_slice(&raw[order.offset(row, column, rows, columns) * size..][..size]);
            }
        }
        Ok(bytes)
    }

    /// Bytes of a row-major tensor in a mapped file. The file stays mapped as long as the result.
    pub fn mapped(&self) -> Option<TensorBytes> {
        let readable = self.layout() == ElementOrder::RowMajor && self.file.bytes.is_mapped();
        readable.then(|| self.file.shared(self.item)).flatten()
    }

    /// Bytes of a tensor in the kernels' order, which share the file as well.
    pub fn panels(&self) -> Option<TensorBytes> {
        (self.layout() == ElementOrder::Panels).then(|| self.file.shared(self.item)).flatten()
    }

    /// Returns the memory of the file's pages that hold this tensor alone, as far as they can be read again.
    pub fn release(&self) {
        self.file.release(self.item);
    }

    /// Bytes in the file; empty for derived tensors.
    pub(crate) fn raw(&self) -> &'a [u8] {
        self.file.raw(self.item)
    }

    fn typed<T: Plain>(&self, wanted: DType, wrap: fn(Vec<T>) -> Numbers) -> Result<&'a [T]> {
        let numbers = (self.dtype() == wanted).then(|| self.file.numbers(self.item, wrap)).flatten();
        numbers.ok_or_else(|| self.fault(format!("holds {}; {wanted} was expected", self.dtype())))
    }

    /// An error about this tensor, for the checks of engines.
    pub fn fault(&self, what: impl Into<String>) -> Error {
        Error::content(&self.file.origin, Fault::Invalid(what.into()).of(self.name))
    }
}

/// The matrix `values` [rows, columns] as [columns, rows]. Squares of it are walked through, so that both sides
/// stay in the cache.
fn transposed(values: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    const SIDE: usize = 32;
    let mut turned = vec![0.0; values.len()];
    for top in (0..rows).step_by(SIDE) {
        for left in (0..columns).step_by(SIDE) {
            for row in top..rows.min(top + SIDE) {
                for column in left..columns.min(left + SIDE) {
                    turned[column * rows + row] = values[row * columns + column];
                }
            }
        }
    }
    turned
}

impl std::fmt::Debug for Tensor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {:?}", self.name, self.dtype(), self.shape())
    }
}
