//! GGUF: the files of llama.cpp, as checked views.
//!
//! A file has a header (magic, version, counts), metadata (keys with typed values), descriptions of tensors, and
//! aligned data. The layout is that of `docs/gguf.md` in the repository of ggml; versions 2 and 3 differ in byte
//! order alone, of which only little-endian is read. Strings and arrays stay where they lie in the mapped file,
//! so that reading a header takes memory for its entries alone, whatever lengths it claims.
//!
//! | module | contents |
//! | --- | --- |
//! | this file | [`Gguf`]: an opened file, its metadata and its tensors |
//! | `header` | the header's entries and their checks |
//! | `value` | [`Value`] and [`Array`]: metadata |
//! | `network` | the description of a language model's network |
//! | `quanta` | rows of blocks in the form in which products read them, and as f32 |
//! | `blocks` | [`BlockFormat`]: how rows lie in blocks |

mod blocks;
mod header;
mod network;
mod quanta;
mod value;

use std::io::Read;
use std::path::{Path, PathBuf};

use dyno_api::files;

use crate::bytes::Bytes;
use crate::error::Located;
use crate::{Fault, Result};

pub use blocks::BlockFormat;
use header::{Header, TensorEntry};
pub use quanta::{Quanta, QuantaForm};
pub use value::{Array, Value};

/// An opened GGUF file.
pub struct Gguf {
    path: PathBuf,
    bytes: Bytes,
    header: Header,
}

/// A tensor as it lies in the file: rows of blocks, side by side.
#[derive(Clone, Copy, Debug)]
pub struct GgufTensor<'a> {
    /// Format of the blocks.
    pub format: BlockFormat,
    /// Values of a row; ggml's first dimension.
    pub columns: usize,
    /// Rows: the product of the other dimensions.
    pub rows: usize,
    /// Blocks of all rows.
    pub bytes: &'a [u8],
}

impl Gguf {
    /// Whether the file at `path` begins as GGUF files do.
    pub fn begins(path: &Path) -> bool {
        let mut magic = [0; 4];
        let read = files::open(path).and_then(|mut file| file.read_exact(&mut magic));
        read.is_ok() && magic == *b"GGUF"
    }

    /// Maps and checks the file at `path`.
    ///
    /// # Errors
    /// One line with the file and its fault.
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = Bytes::map(path)?;
        let header = Header::read(&bytes).in_file(path)?;
        Ok(Self { path: path.into(), bytes, header })
    }

    /// Checks the bytes of a file, with all values of its metadata: the entry point for mutated files.
    ///
    /// # Errors
    /// The fault. The function never panics.
    pub fn check(bytes: &[u8]) -> Result<(), Fault> {
        let header = Header::read(bytes)?;
        header.values.iter().try_for_each(|(_, value)| match value.get(bytes)? {
            Value::Array(array) => array.values().try_for_each(|element| element.map(drop)),
            _ => Ok(()),
        })
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Value of `key`; `None` where the metadata lacks it.
    ///
    /// # Errors
    /// When the value is a string that isn't UTF-8.
    pub fn value(&self, key: &str) -> Result<Option<Value<'_>>> {
        let entry = self.header.value(&self.bytes, key);
        entry.map(|entry| entry.get(&self.bytes)).transpose().of(key).in_file(&self.path)
    }

    /// Value of `key`, as `read` takes it; `None` where the metadata lacks it.
    ///
    /// # Errors
    /// When the value is of another type; `expected` says which would do.
    pub fn typed<'a, T>(
        &'a self,
        key: &str,
        expected: &str,
        read: impl Fn(Value<'a>) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(value) = self.value(key)? else { return Ok(None) };
        let fault = || Fault::from(format!("is no {expected}; convert the model anew")).of(key);
        read(value).map(Some).ok_or_else(fault).in_file(&self.path)
    }

    /// Value of `key`, which must be there.
    ///
    /// # Errors
    /// When the key is missing, or its value is of another type.
    pub fn need<'a, T>(
        &'a self,
        key: &str,
        expected: &str,
        read: impl Fn(Value<'a>) -> Option<T>,
    ) -> Result<T> {
        let missing = || Fault::from("is missing in the metadata; convert the model anew").of(key);
        self.typed(key, expected, read)?.ok_or_else(missing).in_file(&self.path)
    }

    /// Names of the tensors.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.header.tensors.keys().map(String::as_str)
    }

    /// The tensor `name`; `None` where the file lacks it.
    pub fn tensor(&self, name: &str) -> Option<GgufTensor<'_>> {
        let TensorEntry { format, columns, rows, ref data } = *self.header.tensors.get(name)?;
        Some(GgufTensor { format, columns, rows, bytes: &self.bytes[data.clone()] })
    }

    /// Returns the memory of the pages that hold the tensor `name` alone; reading it maps them again. For callers
    /// that have packed the tensor, so that a model never fills memory twice.
    pub fn release(&self, name: &str) {
        if let Some(entry) = self.header.tensors.get(name) {
            self.bytes.release_range(entry.data.clone());
        }
    }

    /// The tensor `name` [`rows`, `columns`].
    ///
    /// # Errors
    /// When the file lacks the tensor, or it has another shape.
    pub fn expect(&self, name: &str, rows: usize, columns: usize) -> Result<GgufTensor<'_>> {
        let fault = match self.tensor(name) {
            Some(found) if (found.rows, found.columns) == (rows, columns) => return Ok(found),
            Some(found) => format!(
                "has the shape [{}, {}], but the metadata asks for [{rows}, {columns}]",
                found.rows, found.columns
            ),
            None => "is missing; the file is of another network, or one of several parts".into(),
        };
        Err(Fault::from(fault).of(name)).in_file(&self.path)
    }
}

impl GgufTensor<'_> {
    /// Writes the values of `row` into `to`, which has a value for each column.
    ///
    /// # Panics
    /// When there is no such row, or `to` has another length.
    pub fn read_row(&self, row: usize, to: &mut [f32]) {
        assert_eq!(to.len(), self.columns, "a value for each column");
        self.format.read(self.row(row), to);
    }

    /// Replaces `to` by the quanta of `row`; by nothing where values aren't quantised.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn read_quanta(&self, row: usize, to: Quanta<'_>) {
        self.format.read_quanta(self.row(row), to);
    }

    /// Blocks of a row.
    fn row(&self, row: usize) -> &[u8] {
        let length = self.columns / self.format.values() * self.format.bytes();
        &self.bytes[row * length..(row + 1) * length]
    }

    /// The bits of all values in half precision, row by row; `None` where they have another format.
    pub fn halves(&self) -> Option<Vec<u16>> {
        let halves = || self.bytes.as_chunks().0.iter().map(|half| u16::from_le_bytes(*half)).collect();
        (self.format == BlockFormat::F16).then(halves)
    }

    /// All values, row by row.
    pub fn to_f32(&self) -> Vec<f32> {
        let mut values = vec![0.0; self.rows * self.columns];
        self.format.read(self.bytes, &mut values);
        values
    }
}
