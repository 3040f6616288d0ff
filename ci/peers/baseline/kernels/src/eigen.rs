//! Eigen's product, which packs the weights at each call; `../../eigen.cpp` is the library's source.

use std::path::Path;

use crate::blas::open;
use crate::plain::Plain;

/// m, k, n, A, B, the distances of B's rows and columns, and C.
type Multiply = unsafe extern "C" fn(isize, isize, isize, *const f32, *const f32, isize, isize, *mut f32);

/// The library; it lives as long as the process, and has no threads of its own.
#[derive(Debug)]
pub struct Eigen(Multiply);

impl Eigen {
    /// The library of that path.
    pub fn load(path: &Path) -> Result<Self, String> {
        // SAFETY: the name and the type are those of eigen.cpp.
        let multiply = unsafe { open(path)?.get::<Multiply>(b"eigen_multiply\0") };
        Ok(Self(*multiply.map_err(|error| error.to_string())?))
    }

    /// C [m, n] = A [m, k] · B [k, n], where B lies by rows or by columns.
    pub fn multiply(&self, [m, k, n]: [usize; 3], a: &[f32], b: Plain<'_>, c: &mut [f32]) {
        assert!(b.column == 1 || b.row == 1, "rows or columns without gaps");
        let [m, k, n, row, column] = [m, k, n, b.row, b.column].map(usize::cast_signed);
        let (a, b, c) = (a.as_ptr(), b.values.as_ptr(), c.as_mut_ptr());
        // SAFETY: the matrices hold m × k, k × n and m × n values at these distances, as the caller has asserted.
        unsafe { self.0(m, k, n, a, b, row, column, c) }
    }
}
