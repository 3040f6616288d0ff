//! The gemm crate, which packs the weights at each call.

use crate::plain::Plain;

/// C [m, n] = A [m, k] · B [k, n].
pub fn multiply([m, k, n]: [usize; 3], a: &[f32], b: Plain<'_>, c: &mut [f32]) {
    // SAFETY: A and C are row-major matrices of just these shapes, and the last element of B lies in its slice, as
    // the caller has asserted.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.as_mut_ptr(),
            1,
            n as isize,
            false,
            a.as_ptr(),
            1,
            k as isize,
            b.values.as_ptr(),
            b.column as isize,
            b.row as isize,
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}
