//! The f32 products of OpenBLAS and of MKL through the C interface of BLAS; both pack the weights on each call.

use std::path::Path;

use libloading::{Library, Symbol};

use crate::Result;
use crate::onednn::Layout;

/// cblas.h
const ROW_MAJOR: i32 = 101;
const AS_IT_IS: i32 = 111;
const TRANSPOSED: i32 = 112;

/// `cblas_sgemm` of a library with 32-bit sizes: order, two transpositions, m, n, k, α, A, B, β and C, each matrix
/// with the length of its rows.
#[rustfmt::skip]
type Sgemm = unsafe extern "C" fn(
    i32, i32, i32, i32, i32, i32, f32, *const f32, i32, *const f32, i32, f32, *mut f32, i32,
);

/// A library; it lives as long as the process.
pub struct Blas {
    library: Library,
    /// Name of its `cblas_sgemm`.
    sgemm: &'static [u8],
}

impl Blas {
    /// OpenBLAS as scipy's wheel has it, which puts “scipy_” before the names.
    pub fn openblas(folder: &Path) -> Result<Self> {
        Self::load(&folder.join("libscipy_openblas.so"), b"scipy_cblas_sgemm\0")
    }

    /// MKL.
    pub fn mkl(folder: &Path) -> Result<Self> {
        Self::load(&folder.join("libmkl_rt.so.3"), b"cblas_sgemm\0")
    }

    fn load(path: &Path, sgemm: &'static [u8]) -> Result<Self> {
        // SAFETY: its initialisers do nothing but start it.
        Ok(Self { library: unsafe { Library::new(path)? }, sgemm })
    }

    /// A product of [m, k] by weights of the layout. BLAS has none of its own.
    pub fn product<'a>(
        &'a self,
        layout: Layout,
        m: usize,
        k: usize,
        n: usize,
    ) -> Result<Box<dyn FnMut() + 'a>> {
        let (transposition, row) = match layout {
            Layout::Any => return Err("BLAS asks for no layout".into()),
            Layout::Normal => (AS_IT_IS, n),
            Layout::Transposed => (TRANSPOSED, k),
        };
        let (a, b, mut c) = (vec![1.0f32; m * k], vec![1.0f32; k * n], vec![0.0f32; m * n]);
        let [m, k, n, row] = [m, k, n, row].map(i32::try_from);
        let (m, k, n, row) = (m?, k?, n?, row?);
        // SAFETY: the type is that of cblas.h.
        let sgemm: Symbol<'a, Sgemm> = unsafe { self.library.get(self.sgemm)? };
        Ok(Box::new(move || {
            let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
            // SAFETY: the matrices are live and hold m × k, k × n and m × n values in rows of these lengths.
            unsafe { sgemm(ROW_MAJOR, AS_IT_IS, transposition, m, n, k, 1.0, a, k, b, row, 0.0, c, n) }
        }))
    }
}
