//! What the parsers of all three formats say of a file: which tensors it holds, where, in which order, and what their integers
//! stand for.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::{DType, Fault, Result};

/// In which order the elements of a matrix of shape `[rows, columns]` lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Row after row: element (r, c) at `r * columns + c`.
    RowMajor,
    /// Column after column: element (r, c) at `c * rows + r`. Marian's intgemm items, except embeddings.
    ColumnMajor,
}

/// What the integers of a quantised matrix `[rows, columns]` stand for.
#[derive(Clone, Debug, PartialEq)]
pub enum Scales {
    /// w = q / multiplier, one for the whole matrix: Marian's `quantMult`.
    Multiplier(f32),
    /// w = q · scale of the column (weights `[in, out]`: one for each output).
    Columns(Vec<f32>),
    /// w = q · scale of the row (embeddings `[V, D]`, which as output matrix are transposed).
    Rows(Vec<f32>),
}

/// What a parser knows of one tensor.
pub(crate) struct Record {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    /// Where its payload lies; exactly shape × size of the type.
    pub(crate) span: Range<usize>,
    pub(crate) layout: Layout,
    pub(crate) scales: Option<Scales>,
}

/// What a parser makes of a file.
#[derive(Default)]
pub(crate) struct Directory {
    pub(crate) records: BTreeMap<String, Record>,
    /// Text that came with the weights (safetensors' metadata), sorted by key.
    pub(crate) metadata: BTreeMap<String, String>,
}

impl Directory {
    /// Adds a record, unless the name is taken.
    pub(crate) fn add(&mut self, name: String, record: Record) -> Result<(), Fault> {
        if self.records.contains_key(&name) {
            return Err(Fault::from("is there twice").of(&name));
        }
        self.records.insert(name, record);
        Ok(())
    }
}

impl Layout {
    /// Where element (row, column) of a matrix `[rows, columns]` lies.
    pub fn offset(self, row: usize, column: usize, rows: usize, columns: usize) -> usize {
        match self {
            Self::RowMajor => row * columns + column,
            Self::ColumnMajor => column * rows + row,
        }
    }
}

impl Scales {
    /// The value that the integer `q` at (row, column) stands for.
    pub fn value(&self, q: f32, row: usize, column: usize) -> f32 {
        match self {
            Self::Multiplier(multiplier) => q / multiplier,
            Self::Columns(scales) => q * scales[column],
            Self::Rows(scales) => q * scales[row],
        }
    }

    /// A fault unless all are positive, finite numbers, and the matrix of this shape has elements (an empty one
    /// could claim any number of rows).
    pub(crate) fn check(&self, shape: &[usize]) -> Result<(), Fault> {
        if shape.contains(&0) {
            return Err(format!("is quantised, but its shape {shape:?} is empty").into());
        }
        let scales = match self {
            Self::Multiplier(multiplier) => std::slice::from_ref(multiplier),
            Self::Columns(scales) | Self::Rows(scales) => scales,
        };
        match scales.iter().find(|scale| !(scale.is_finite() && **scale > 0.0)) {
            Some(scale) => Err(format!("has the scale {scale}; scales are positive and finite").into()),
            None => Ok(()),
        }
    }
}

/// Quantised int8 keeps to [−127, 127]: kernels that multiply |a| by sign(b) have no answer to −128.
pub(crate) fn symmetric(bytes: &[u8]) -> Result<(), Fault> {
    if !bytes.contains(&(i8::MIN as u8)) {
        return Ok(()); // a vectorised search, unlike the one for the place
    }
    let at = bytes.iter().position(|byte| *byte == i8::MIN as u8).unwrap_or_default();
    Err(format!("holds −128 (element {at}); quantised weights keep to −127 and up").into())
}
