//! Where a tensor's numbers are: in a file of weights, or derived and in memory.

use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use crate::DType;
use crate::bytes::Bytes;
use crate::numbers::{Numbers, Plain, copy, view};
use crate::record::{ElementOrder, Record, Scales};

/// Storage of a tensor's numbers.
#[derive(Clone)]
enum Storage {
    /// Range in the file, and a copy that is made on first use if the range isn't aligned for its type.
    File(Range<usize>, OnceLock<Numbers>),
    Owned(Numbers),
}

/// A tensor's type, shape and numbers.
#[derive(Clone)]
pub(crate) struct Item {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    pub(crate) layout: ElementOrder,
    pub(crate) scales: Option<Scales>,
    storage: Storage,
}

impl Item {
    /// A derived tensor, which is in no file.
    pub(crate) fn owned(dtype: DType, shape: Vec<usize>, numbers: Numbers, scales: Option<Scales>) -> Self {
        Self { dtype, shape, layout: ElementOrder::RowMajor, scales, storage: Storage::Owned(numbers) }
    }

    /// Records of at most `most` rows each, where the rows lie one behind the other in the file; else one
    /// record of all.
    pub(crate) fn parts(&self, most: usize) -> Vec<Self> {
        let rows = if self.shape.len() == 2 { self.shape[0] } else { 0 };
        let firsts = (0..rows).step_by(most).filter(|_| rows > most);
        let parts: Option<Vec<Self>> =
            firsts.map(|first| self.rows(first..rows.min(first.saturating_add(most)))).collect();
        parts.filter(|parts| !parts.is_empty()).unwrap_or_else(|| vec![self.clone()])
    }

    /// Some rows of a matrix, or elements of a vector, that lie one behind the other in the file; `None` where
    /// they don't, or aren't there.
    pub(crate) fn rows(&self, rows: Range<usize>) -> Option<Self> {
        let Storage::File(span, _) = &self.storage else { return None };
        let (&first, inner) = self.shape.split_first()?;
        if self.layout != ElementOrder::RowMajor || rows.end > first {
            return None;
        }
        let bytes = inner.iter().product::<usize>() * self.dtype.size();
        let span = span.start + rows.start * bytes..span.start + rows.end * bytes;
        let scales = self.scales.as_ref().map(|scales| scales.of_rows(rows.clone()));
        let shape = [&[rows.len()], inner].concat();
        Some(Self { shape, scales, storage: Storage::File(span, OnceLock::new()), ..*self })
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
    pub(crate) bytes: Arc<Bytes>,
}

impl File {
    /// The file's bytes of `item`; empty for derived tensors.
    pub(crate) fn raw<'a>(&'a self, item: &'a Item) -> &'a [u8] {
        match &item.storage {
            Storage::File(span, _) => self.bytes.get(span.clone()).unwrap_or_default(),
            Storage::Owned(_) => &[],
        }
    }

    /// Bytes of the elements in the order that they are stored in.
    pub(crate) fn elements<'a>(&'a self, item: &'a Item) -> Cow<'a, [u8]> {
        match &item.storage {
            Storage::File(..) => self.raw(item).into(),
            Storage::Owned(numbers) => numbers.to_le_bytes().into(),
        }
    }

    /// The file's bytes of `item`, with which the file stays in memory; `None` for derived tensors.
    pub(crate) fn shared(&self, item: &Item) -> Option<TensorBytes> {
        let Storage::File(span, _) = &item.storage else { return None };
        Some(TensorBytes { file: Arc::clone(&self.bytes), span: span.clone() })
    }

    /// Returns the memory of the file's pages that hold `item` alone.
    pub(crate) fn release(&self, item: &Item) {
        if let Storage::File(span, _) = &item.storage {
            self.bytes.release_range(span.clone());
        }
    }

    /// The numbers of `item` as `T`; `None` if they have another type.
    pub(crate) fn numbers<'a, T: Plain>(
        &'a self,
        item: &'a Item,
        wrap: fn(Vec<T>) -> Numbers,
    ) -> Option<&'a [T]> {
        match &item.storage {
            Storage::Owned(numbers) => T::of(numbers),
            Storage::File(_, copied) => {
                view(self.raw(item)).or_else(|| T::of(copied.get_or_init(|| wrap(copy(self.raw(item))))))
            }
        }
    }
}

/// Bytes of a tensor, with which its file stays in memory.
#[derive(Clone)]
pub struct TensorBytes {
    file: Arc<Bytes>,
    span: Range<usize>,
}

impl TensorBytes {
    /// These bytes and `next` behind them: in the file, if they follow there, else copied.
    #[must_use]
    pub fn join(&self, next: &Self) -> Self {
        if Arc::ptr_eq(&self.file, &next.file) && self.span.end == next.span.start {
            return Self { file: Arc::clone(&self.file), span: self.span.start..next.span.end };
        }
        let both = [self.as_ref(), next.as_ref()].concat();
        Self { span: 0..both.len(), file: Arc::new(Bytes::Owned(both)) }
    }
}

impl AsRef<[u8]> for TensorBytes {
    fn as_ref(&self) -> &[u8] {
        &self.file[self.span.clone()] // the parser proved that it lies inside
    }
}

impl std::fmt::Debug for TensorBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TensorBytes({:?})", self.span)
    }
}
