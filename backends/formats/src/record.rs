//! Records: what the parsers of all three formats find out about a tensor: its position, order and scales.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::{DType, Fault, Result};

/// Order of the elements in a matrix `[rows, columns]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementOrder {
    /// Row after row: element (r, c) at `r * columns + c`.
    RowMajor,
    /// Column after column: element (r, c) at `c * rows + r`. Marian's intgemm items, except embeddings.
    ColumnMajor,
    /// The order in which the kernels read int8 products: panels of 64 columns. A panel holds four rows at a
    /// time, of which it holds sixteen columns at a time, each with its four elements side by side. The last
    /// panel may be narrower.
    Panels,
}

/// Columns of a panel.
const PANEL: usize = 64;

/// Columns of which elements lie side by side.
const SIXTEEN: usize = 16;

/// Rows of which elements lie side by side.
const FOUR: usize = 4;

/// Scales of a quantised matrix `[rows, columns]`.
#[derive(Clone, Debug, PartialEq)]
pub enum Scales {
    /// w = q / multiplier, one for the whole matrix: Marian's `quantMult`.
    Multiplier(f32),
    /// w = q · scale of the column (weights `[in, out]`: one for each output).
    Columns(Vec<f32>),
    /// w = q · scale of the row (embeddings `[V, D]`, which as output matrix are transposed).
    Rows(Vec<f32>),
}

/// A parser's record of one tensor.
#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    /// Range of the payload: exactly shape × size of the type.
    pub(crate) span: Range<usize>,
    pub(crate) layout: ElementOrder,
    pub(crate) scales: Option<Scales>,
}

impl Record {
    /// Whether the record is of int8 integers with scales.
    pub(crate) fn is_int8(&self) -> bool {
        self.dtype == DType::I8 && self.scales.is_some()
    }
}

/// A parser's result for a file.
#[derive(Default)]
pub(crate) struct Directory {
    pub(crate) records: BTreeMap<String, Record>,
    /// Texts that came with the weights (safetensors' metadata), sorted by key.
    pub(crate) metadata: BTreeMap<String, String>,
}

impl Directory {
    /// Adds a record; a second record of the same name is a fault.
    pub(crate) fn add(&mut self, name: String, record: Record) -> Result<(), Fault> {
        if self.records.contains_key(&name) {
            return Err(Fault::from("is there twice").of(&name));
        }
        self.records.insert(name, record);
        Ok(())
    }
}

impl ElementOrder {
    /// Index of the element (row, column) in a matrix `[rows, columns]`.
    pub fn offset(self, row: usize, column: usize, rows: usize, columns: usize) -> usize {
        match self {
            Self::RowMajor => row * columns + column,
            Self::ColumnMajor => column * rows + row,
            Self::Panels => {
                let first = column / PANEL * PANEL;
                let width = PANEL.min(columns - first);
                let (four, sixteen) = (row / FOUR * FOUR, column % PANEL / SIXTEEN * SIXTEEN);
                first * rows + four * width + FOUR * sixteen + column % SIXTEEN * FOUR + row % FOUR
            }
        }
    }

    /// Whether panels hold a matrix of this shape without gaps.
    pub(crate) fn panels_fit(shape: &[usize]) -> bool {
        matches!(*shape, [rows, columns] if rows.is_multiple_of(FOUR) && columns.is_multiple_of(SIXTEEN))
    }
}

impl Scales {
    /// The value of the integer `q` at (row, column).
    pub fn value(&self, q: f32, row: usize, column: usize) -> f32 {
        match self {
            Self::Multiplier(multiplier) => q / multiplier,
            Self::Columns(scales) => q * scales[column],
            Self::Rows(scales) => q * scales[row],
        }
    }

    /// The scales of the transposed matrix.
    pub(crate) fn transposed(self) -> Self {
        match self {
            Self::Rows(scales) => Self::Columns(scales),
            Self::Columns(scales) => Self::Rows(scales),
            one => one,
        }
    }

    /// The scales of some rows.
    pub(crate) fn of_rows(&self, rows: Range<usize>) -> Self {
        match self {
            Self::Rows(scales) => Self::Rows(scales[rows].to_vec()),
            other => other.clone(),
        }
    }

    /// Checks that all scales are positive, finite numbers, and that the matrix has elements: an empty matrix
    /// could claim any number of rows.
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

/// Checks that int8 integers are in [−127, 127]: kernels that multiply |a| by sign(b) can't compute with
/// −128.
pub(crate) fn symmetric(bytes: &[u8]) -> Result<(), Fault> {
    // A sum over all bytes is vectorised; a search that may end early isn't.
    if bytes.iter().fold(0, |found, byte| found | u8::from(*byte == i8::MIN as u8)) == 0 {
        return Ok(());
    }
    let at = bytes.iter().position(|byte| *byte == i8::MIN as u8).unwrap_or_default();
    Err(format!("holds −128 (element {at}); quantised weights keep to −127 and up").into())
}
