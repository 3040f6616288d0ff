//! One tensor of a [`Weights`](crate::Weights): typed, shaped, with its scales; in the file, or derived.

use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::bytes::Bytes;
use crate::numbers::{Numbers, Plain, copy, view};
use crate::quantise::{bf16_to_f32, f16_to_f32};
use crate::record::{Layout, Record, Scales};
use crate::{DType, Error, Fault, Result};

/// A tensor's numbers: in the file, or made by us.
enum Storage {
    /// The copy is made on first use, and only if the span isn't aligned for its type.
    File(Range<usize>, OnceLock<Numbers>),
    Owned(Numbers),
}

pub(crate) struct Item {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    pub(crate) layout: Layout,
    pub(crate) scales: Option<Scales>,
    storage: Storage,
}

impl Item {
    /// A tensor that doesn't stand in any file.
    pub(crate) fn owned(dtype: DType, shape: Vec<usize>, numbers: Numbers, scales: Option<Scales>) -> Self {
        Self { dtype, shape, layout: Layout::RowMajor, scales, storage: Storage::Owned(numbers) }
    }
}

impl From<Record> for Item {
    fn from(record: Record) -> Self {
        Self {
            dtype: record.dtype,
            shape: record.shape,
            layout: record.layout,
            scales: record.scales,
            storage: Storage::File(record.span, OnceLock::new()),
        }
    }
}

/// A file of weights.
pub(crate) struct File {
    pub(crate) origin: PathBuf,
    pub(crate) bytes: Bytes,
}

impl File {
    /// The file's bytes of `item`, for those that stand in the file.
    fn raw<'a>(&'a self, item: &'a Item) -> &'a [u8] {
        match &item.storage {
            Storage::File(span, _) => self.bytes.get(span.clone()).unwrap_or_default(),
            Storage::Owned(_) => &[],
        }
    }

    /// The numbers of `item` as `T`; `None` if they are of another type.
    fn numbers<'a, T: Plain>(&'a self, item: &'a Item, wrap: fn(Vec<T>) -> Numbers) -> Option<&'a [T]> {
        match &item.storage {
            Storage::Owned(numbers) => T::of(numbers),
            Storage::File(_, copied) => {
                view(self.raw(item)).or_else(|| T::of(copied.get_or_init(|| wrap(copy(self.raw(item))))))
            }
        }
    }
}

/// A checked tensor; borrows from its [`Weights`](crate::Weights).
#[derive(Clone, Copy)]
pub struct Tensor<'a> {
    pub(crate) file: &'a File,
    pub(crate) name: &'a str,
    pub(crate) item: &'a Item,
}

impl<'a> Tensor<'a> {
    /// Its name in the file.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// How its numbers are stored.
    pub fn dtype(&self) -> DType {
        self.item.dtype
    }

    /// Its dimensions; a scalar has none.
    pub fn shape(&self) -> &'a [usize] {
        &self.item.shape
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shape().iter().product() // the parser checked it against the file
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The order of a matrix's elements.
    pub fn layout(&self) -> Layout {
        self.item.layout
    }

    /// What integers stand for; `None` for plain numbers.
    pub fn scales(&self) -> Option<&'a Scales> {
        self.item.scales.as_ref()
    }

    /// Rows and columns; a vector of n is one row.
    ///
    /// # Errors
    /// When it has more than two dimensions.
    pub fn matrix(&self) -> Result<(usize, usize)> {
        match *self.shape() {
            [] => Ok((1, 1)),
            [columns] => Ok((1, columns)),
            [rows, columns] => Ok((rows, columns)),
            _ => Err(self.fault(format!("has shape {:?}; a matrix was expected", self.shape()))),
        }
    }

    /// Itself, if it is a matrix of this shape (a vector of n passes as `[1, n]`).
    ///
    /// # Errors
    /// When it isn't.
    pub fn expect(self, rows: usize, columns: usize) -> Result<Self> {
        if self.matrix()? == (rows, columns) {
            return Ok(self);
        }
        Err(self.fault(format!("has shape {:?}; [{rows}, {columns}] was expected", self.shape())))
    }

    /// Its elements, stored as f32.
    ///
    /// # Errors
    /// When they are stored otherwise: [`to_f32`](Self::to_f32) converts.
    pub fn f32(&self) -> Result<&'a [f32]> {
        self.typed(DType::F32, Numbers::F32)
    }

    /// The bits of its elements, stored as IEEE half.
    ///
    /// # Errors
    /// When they are stored otherwise.
    pub fn f16(&self) -> Result<&'a [u16]> {
        self.typed(DType::F16, Numbers::F16)
    }

    /// Its elements, stored as i16.
    ///
    /// # Errors
    /// When they are stored otherwise.
    pub fn i16(&self) -> Result<&'a [i16]> {
        self.typed(DType::I16, Numbers::I16)
    }

    /// Its elements, stored as i8.
    ///
    /// # Errors
    /// When they are stored otherwise.
    pub fn i8(&self) -> Result<&'a [i8]> {
        self.typed(DType::I8, Numbers::I8)
    }

    /// Its elements, stored as u8.
    ///
    /// # Errors
    /// When they are stored otherwise.
    pub fn u8(&self) -> Result<&'a [u8]> {
        self.typed(DType::U8, Numbers::U8)
    }

    /// Its values as f32, row-major, scales applied; borrowed where they are stored so.
    ///
    /// # Errors
    /// When they are integers without scales: nobody can say what these stand for.
    pub fn to_f32(&self) -> Result<Cow<'a, [f32]>> {
        match (self.dtype(), self.scales()) {
            (DType::F32, _) => self.f32().map(Cow::Borrowed),
            (DType::F16, _) => Ok(self.f16()?.iter().map(|bits| f16_to_f32(*bits)).collect()),
            (DType::BF16, _) => Ok(self.raw().chunks_exact(2).map(bf16_to_f32).collect()),
            (DType::I8, Some(scales)) => self.dequantise(self.i8()?, scales).map(Cow::Owned),
            (DType::I16, Some(scales)) => self.dequantise(self.i16()?, scales).map(Cow::Owned),
            (dtype, _) => Err(self.fault(format!("holds plain {dtype}; weights were expected"))),
        }
    }

    /// As [`to_f32`](Self::to_f32), of weights: one that isn't finite would be in all that comes after.
    ///
    /// # Errors
    /// As there, and when a value is infinite or no number.
    pub fn finite_f32(&self) -> Result<Cow<'a, [f32]>> {
        let values = self.to_f32()?;
        // No early end: so the loop is vectorised.
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

    /// Its bytes as they stand in the file; empty for tensors that were derived.
    pub(crate) fn raw(&self) -> &'a [u8] {
        self.file.raw(self.item)
    }

    fn typed<T: Plain>(&self, wanted: DType, wrap: fn(Vec<T>) -> Numbers) -> Result<&'a [T]> {
        let numbers = (self.dtype() == wanted).then(|| self.file.numbers(self.item, wrap)).flatten();
        numbers.ok_or_else(|| self.fault(format!("holds {}; {wanted} was expected", self.dtype())))
    }

    /// An error about this tensor: for engines, whose own checks read like ours.
    pub fn fault(&self, what: impl Into<String>) -> Error {
        Error::content(&self.file.origin, Fault::Invalid(what.into()).of(self.name))
    }
}

impl std::fmt::Debug for Tensor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {:?}", self.name, self.dtype(), self.shape())
    }
}
