//! `cblas_sgemm` of MKL and of OpenBLAS, which pack the weights at each call.

use std::path::Path;

use libloading::{Library, Symbol};

use crate::plain::Plain;

/// cblas.h
const ROW_MAJOR: i32 = 101;
const AS_IT_IS: i32 = 111;
const TRANSPOSED: i32 = 112;

/// mkl_service.h: MKL_THREADING_SEQUENTIAL.
const SEQUENTIAL: i32 = 1;

/// Variable of the environment that names OpenBLAS's code.
const CORE_TYPE: &str = "OPENBLAS_CORETYPE";

/// Order, two transpositions, m, n, k, α, A, B, β and C, each matrix with the length of its rows.
#[rustfmt::skip]
type Sgemm = unsafe extern "C" fn(
    i32, i32, i32, i32, i32, i32, f32, *const f32, i32, *const f32, i32, f32, *mut f32, i32,
);

/// A library with the C interface of BLAS and 32-bit sizes; it lives as long as the process.
#[derive(Debug)]
pub struct Blas(Sgemm);

impl Blas {
    /// MKL, without threads of its own.
    pub fn mkl(path: &Path) -> Result<Self, String> {
        let library = open(path)?;
        // SAFETY: the name and the type are those of mkl_service.h.
        let layer: Symbol<'_, unsafe extern "C" fn(i32) -> i32> =
            unsafe { library.get(b"MKL_Set_Threading_Layer\0") }.map_err(|error| error.to_string())?;
        // SAFETY: nothing of the library has run yet.
        unsafe { layer(SEQUENTIAL) };
        Self::of(library, b"cblas_sgemm\0")
    }

    /// OpenBLAS as scipy's wheel has it, without threads of its own; the wheel puts “scipy_” before the names.
    pub fn openblas(path: &Path) -> Result<Self, String> {
        // OpenBLAS chooses by the processor's family, and takes its AVX2 code on a newer one than it knows, such as Zen
        // 5.
        #[cfg(target_arch = "x86_64")]
        if std::env::var_os(CORE_TYPE).is_none() && std::arch::is_x86_feature_detected!("avx512vl") {
            // SAFETY: a model is opened before any thread that reads the environment starts.
            unsafe { std::env::set_var(CORE_TYPE, "SkylakeX") };
        }
        let library = open(path)?;
        // SAFETY: the name and the type are those of OpenBLAS's cblas.h.
        let threads: Symbol<'_, unsafe extern "C" fn(i32)> =
            unsafe { library.get(b"scipy_openblas_set_num_threads\0") }.map_err(|error| error.to_string())?;
        // SAFETY: no other thread calls the library yet.
        unsafe { threads(1) };
        Self::of(library, b"scipy_cblas_sgemm\0")
    }

    fn of(library: &'static Library, name: &[u8]) -> Result<Self, String> {
        // SAFETY: the type is that of cblas.h.
        let sgemm: Symbol<'_, Sgemm> = unsafe { library.get(name) }.map_err(|error| error.to_string())?;
        Ok(Self(*sgemm))
    }

    /// C [m, n] = A [m, k] · B [k, n], where B lies by rows or by columns.
    pub fn multiply(&self, [m, k, n]: [usize; 3], a: &[f32], b: Plain<'_>, c: &mut [f32]) {
        assert!(b.column == 1 || b.row == 1, "rows or columns without gaps");
        // A single row or column may have any length.
        let (transposition, length) = match b.column {
            1 => (AS_IT_IS, b.row.max(n)),
            column => (TRANSPOSED, column.max(k)),
        };
        let [m, k, n, length] = [m, k, n, length].map(|size| i32::try_from(size).unwrap_or(i32::MAX));
        let (a, b, c) = (a.as_ptr(), b.values.as_ptr(), c.as_mut_ptr());
        // SAFETY: the matrices hold m × k, k × n and m × n values in rows of these lengths, as the caller has asserted.
        unsafe { self.0(ROW_MAJOR, AS_IT_IS, transposition, m, n, k, 1.0, a, k, b, length, 0.0, c, n) }
    }
}

/// A shared library, which stays open.
pub fn open(path: &Path) -> Result<&'static Library, String> {
    // SAFETY: the initialisers of these libraries do nothing but start them.
    let library = unsafe { Library::new(path) }.map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Box::leak(Box::new(library)))
}
