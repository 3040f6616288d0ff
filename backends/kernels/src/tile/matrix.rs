//! Views of row-major matrices. A writable view can be split by rows and by columns, so that several threads
//! fill one result. Therefore it holds a pointer: slices of its parts would overlap.

use crate::error::{sized, sized_rows};
use crate::{Error, Result};
use std::marker::PhantomData;
use std::ops::Range;

/// A readable view of an f32 matrix.
#[derive(Clone, Copy, Debug)]
pub struct Mat<'a> {
    data: &'a [f32], // [rows, stride], the last row may end early
    columns: usize,
    stride: usize,
}

impl<'a> Mat<'a> {
    /// A matrix whose rows follow each other without gaps.
    pub fn new(data: &'a [f32], rows: usize, columns: usize) -> Result<Self> {
        sized_rows("matrix", data.len(), rows, columns)?;
        Ok(Self { data, columns, stride: columns })
    }

    /// A view of some columns.
    pub fn columns(self, columns: Range<usize>) -> Result<Self> {
        let Some(data) = self.data.get(columns.start..).filter(|_| columns.end <= self.columns) else {
            return Err(Error::Shape {
                what: "columns of a matrix",
                expected: self.columns,
                found: columns.end,
            });
        };
        Ok(Self { data, columns: columns.len(), stride: self.stride })
    }

    /// A view of some rows and columns.
    pub fn part(self, rows: Range<usize>, columns: Range<usize>) -> Result<Self> {
        let below = Self { data: self.data.get(rows.start * self.stride..).unwrap_or_default(), ..self };
        let part = below.columns(columns.clone())?;
        part.fits(rows.len(), columns.len())?;
        Ok(part)
    }

    pub(crate) fn fits(&self, rows: usize, columns: usize) -> Result<()> {
        sized("columns of a matrix", self.columns, columns)?;
        let need = rows.checked_sub(1).map_or(0, |above| above * self.stride + columns);
        if self.data.len() < need {
            return Err(Error::Shape { what: "matrix", expected: need, found: self.data.len() });
        }
        Ok(())
    }

    /// The values from the first one on, and the distance between rows.
    pub(crate) fn parts(&self) -> (&'a [f32], usize) {
        (self.data, self.stride)
    }

    /// The first rows as one slice, if no gaps lie between rows.
    pub(crate) fn contiguous(&self, rows: usize) -> Option<&'a [f32]> {
        self.data.get(..rows * self.columns).filter(|_| self.stride == self.columns)
    }

    /// A row of the matrix.
    ///
    /// # Panics
    /// When there is no such row.
    #[must_use]
    pub fn row(&self, row: usize) -> &'a [f32] {
        &self.data[row * self.stride..][..self.columns]
    }
}

/// A writable view of a matrix.
#[derive(Debug)]
pub struct MatMut<'a, T> {
    data: *mut T, // [rows, stride]
    rows: usize,
    columns: usize,
    stride: usize,
    borrow: PhantomData<&'a mut [T]>,
}

// SAFETY: it is an exclusive borrow of its elements, as a `&mut [T]` is.
unsafe impl<T: Send> Send for MatMut<'_, T> {}

// SAFETY: a shared reference to the view reads no element; it gives threads writable columns, so elements are sent.
unsafe impl<T: Send> Sync for MatMut<'_, T> {}

impl<'a, T> MatMut<'a, T> {
    /// A matrix whose rows follow each other without gaps.
    pub fn new(data: &'a mut [T], rows: usize, columns: usize) -> Result<Self> {
        Self::strided(data, rows, columns, columns)
    }

    /// A matrix whose rows begin `stride` values apart.
    pub(crate) fn strided(data: &'a mut [T], rows: usize, columns: usize, stride: usize) -> Result<Self> {
        sized_rows("matrix", data.len(), rows, stride)?;
        Ok(Self { data: data.as_mut_ptr(), rows, columns, stride, borrow: PhantomData })
    }

    /// Number of rows and of columns.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// The same view for a shorter time.
    #[must_use]
    pub fn view(&mut self) -> MatMut<'_, T> {
        MatMut { borrow: PhantomData, ..*self }
    }

    /// Splits the view by rows.
    ///
    /// # Panics
    /// When the view has fewer rows.
    #[must_use]
    pub fn split_rows(self, at: usize) -> (Self, Self) {
        assert!(at <= self.rows, "split at row {at} of {}", self.rows);
        let below = self.data.wrapping_add(at * self.stride);
        (Self { rows: at, ..self }, Self { data: below, rows: self.rows - at, ..self })
    }

    /// Splits the view by columns.
    ///
    /// # Panics
    /// When the view has fewer columns.
    #[must_use]
    pub fn split_columns(self, at: usize) -> (Self, Self) {
        assert!(at <= self.columns, "split at column {at} of {}", self.columns);
        let right = self.data.wrapping_add(at);
        (Self { columns: at, ..self }, Self { data: right, columns: self.columns - at, ..self })
    }

    /// A view of some columns beside other such views.
    ///
    /// # Safety
    /// No other living view but this one may have these columns.
    pub(crate) unsafe fn columns(&self, columns: Range<usize>) -> MatMut<'_, T> {
        assert!(columns.start <= columns.end && columns.end <= self.columns, "{columns:?} within the matrix");
        MatMut {
            data: self.data.wrapping_add(columns.start),
            columns: columns.len(),
            borrow: PhantomData,
            ..*self
        }
    }

    pub(crate) fn fits(&self, rows: usize, columns: usize) -> Result<()> {
        sized("rows of the result", self.rows, rows)?;
        sized("columns of the result", self.columns, columns)
    }

    /// All values as one slice, if no gaps lie between rows.
    pub(crate) fn contiguous(&mut self) -> Option<&mut [T]> {
        if self.stride != self.columns {
            return None;
        }
        // SAFETY: the rows lie side by side within the borrow, and no other view shares them.
        Some(unsafe { std::slice::from_raw_parts_mut(self.data, self.rows * self.columns) })
    }

    /// A row of the view, writable.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        self.part(row, 0, self.columns)
    }

    /// `n` values of a row.
    #[inline]
    pub(crate) fn part(&mut self, row: usize, column: usize, n: usize) -> &mut [T] {
        assert!(row < self.rows && column + n <= self.columns, "within the matrix");
        // SAFETY: row and column were just checked, so the element lies within the borrow.
        let start = unsafe { self.data.add(row * self.stride + column) };
        // SAFETY: the whole part lies in one row of this view, which no other view shares.
        unsafe { std::slice::from_raw_parts_mut(start, n) }
    }

    /// Pointers to `n` values in each of some rows.
    #[inline]
    pub(crate) fn parts<const ROWS: usize>(&mut self, row: usize, column: usize, n: usize) -> [*mut T; ROWS] {
        assert!(row + ROWS <= self.rows && column + n <= self.columns, "within the matrix");
        std::array::from_fn(|i| self.data.wrapping_add((row + i) * self.stride + column))
    }
}
