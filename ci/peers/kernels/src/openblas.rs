//! OpenBLAS's f32 product through the C interface of BLAS, which packs the weights on each call.

use libloading::{Library, Symbol};

use crate::onednn::Layout;

/// cblas.h
const ROW_MAJOR: i32 = 101;
const AS_IT_IS: i32 = 111;
const TRANSPOSED: i32 = 112;

/// `cblas_sgemm` of a library with 32-bit sizes: order, two transpositions, m, n, k, α, A, B, β and C, each matrix
/// with the length of its rows.
type Sgemm = unsafe extern "C" fn(
    i32,
    i32,
    i32,
    i32,
    i32,
    i32,
    f32,
    *const f32,
    i32,
    *const f32,
    i32,
    f32,
    *mut f32,
    i32,
);

/// The library; it lives as long as the process.
pub struct OpenBlas(Library);

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

impl OpenBlas {
    pub fn load(path: &str) -> Result<Self> {
        // SAFETY: its initialisers do nothing but start it.
        Ok(Self(unsafe { Library::new(path)? }))
    }

    /// A product of [m, k] by weights of the layout. OpenBLAS has none of its own.
    pub fn product<'a>(
        &'a self,
        layout: Layout,
        m: usize,
        k: usize,
        n: usize,
    ) -> Result<Box<dyn FnMut() + 'a>> {
        let (transposition, row) = match layout {
            Layout::Any => return Err("OpenBLAS asks for no layout".into()),
            Layout::Normal => (AS_IT_IS, n),
            Layout::Transposed => (TRANSPOSED, k),
        };
        let (a, b, mut c) = (vec![1.0f32; m * k], vec![1.0f32; k * n], vec![0.0f32; m * n]);
        let [m, k, n, row] = [m, k, n, row].map(i32::try_from);
        let (m, k, n, row) = (m?, k?, n?, row?);
        // SAFETY: the wheel puts “scipy_” before the names of OpenBLAS; the types are those of cblas.h.
        let sgemm: Symbol<'a, Sgemm> = unsafe { self.0.get(b"scipy_cblas_sgemm\0")? };
        Ok(Box::new(move || {
            let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
            // SAFETY: the matrices are live and hold m × k, k × n and m × n values in rows of these lengths.
            unsafe { sgemm(ROW_MAJOR, AS_IT_IS, transposition, m, n, k, 1.0, a, k, b, row, 0.0, c, n) }
        }))
    }
}
