//! gemmlowp's products of unsigned bytes, to bare 32-bit sums; it packs the weights on each call.

use std::path::Path;

use libloading::{Library, Symbol};

use crate::Result;

/// m, k, n, A, B [n, k] and C: `../../baseline/gemmlowp.cpp`.
type Multiply = unsafe extern "C" fn(i32, i32, i32, *const u8, *const u8, *mut i32);

/// The library; it lives as long as the process.
pub struct Gemmlowp(Library);

impl Gemmlowp {
    pub fn load(folder: &Path) -> Result<Self> {
        // SAFETY: its initialisers do nothing but start it.
        Ok(Self(unsafe { Library::new(folder.join("libgemmlowp.so"))? }))
    }

    pub fn product<'a>(&'a self, m: usize, k: usize, n: usize) -> Result<Box<dyn FnMut() + 'a>> {
        let (a, b, mut c) = (vec![129; m * k], vec![129; k * n], vec![0; m * n]);
        let [m, k, n] = [m, k, n].map(i32::try_from);
        let (m, k, n) = (m?, k?, n?);
        // SAFETY: the name and the type are those of gemmlowp.cpp.
        let multiply: Symbol<'a, Multiply> = unsafe { self.0.get(b"gemmlowp_multiply\0")? };
        // SAFETY: the matrices are live, without gaps, and of just these shapes.
        Ok(Box::new(move || unsafe { multiply(m, k, n, a.as_ptr(), b.as_ptr(), c.as_mut_ptr()) }))
    }
}
