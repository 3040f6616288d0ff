//! The libraries that multiply f32: each reads unpacked weights, one call a product.

use std::path::Path;
use std::sync::RwLock;

use crate::blas::Blas;
use crate::eigen::Eigen;
use crate::gemm_crate;
use crate::onednn::{OneDnn, Switches};
use crate::plain::Plain;

/// A library.
#[derive(Debug)]
pub enum Library {
    /// The gemm crate.
    Gemm,
    /// oneDNN's matmul.
    OneDnn(OneDnn),
    /// `cblas_sgemm` of MKL or of OpenBLAS.
    Blas(Blas),
    /// Eigen.
    Eigen(Eigen),
}

/// Library of the weights that are packed from now on.
static CHOSEN: RwLock<&'static Library> = RwLock::new(&Library::Gemm);

/// Names of the libraries, as settings have them.
pub const NAMES: [&str; 5] = ["gemm", "onednn", "mkl", "openblas", "eigen"];

/// Opens a library from a folder of shared ones. The switches are oneDNN's alone.
pub fn open(name: &str, switches: Switches, folder: &Path) -> Result<Library, String> {
    Ok(match name {
        "onednn" => Library::OneDnn(OneDnn::load(&folder.join("libdnnl.so.3"), switches)?),
        _ if switches != Switches::default() => {
            return Err(format!("{name} has no dispatch to save and no blocks to choose; onednn has"));
        }
        "gemm" => Library::Gemm,
        "mkl" => Library::Blas(Blas::mkl(&folder.join("libmkl_rt.so.3"))?),
        "openblas" => Library::Blas(Blas::openblas(&folder.join("libscipy_openblas.so"))?),
        "eigen" => Library::Eigen(Eigen::load(&folder.join("libeigen.so"))?),
        _ => return Err(format!("there is no library {name:?}; there are: {}", NAMES.join(", "))),
    })
}

/// Chooses the library of all weights that are packed from now on.
pub fn choose(name: &str, switches: Switches, folder: &Path) -> Result<(), String> {
    let found = open(name, switches, folder)?;
    *CHOSEN.write().unwrap_or_else(std::sync::PoisonError::into_inner) = Box::leak(Box::new(found));
    Ok(())
}

/// The library of weights that are packed now.
pub fn chosen() -> &'static Library {
    *CHOSEN.read().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Library {
    /// C [m, n] = A [m, k] · B [k, n], on this thread alone. A and C are row-major and without gaps.
    pub fn multiply(&self, [m, k, n]: [usize; 3], a: &[f32], b: Plain<'_>, c: &mut [f32]) {
        assert!(a.len() == m * k && c.len() == m * n);
        b.assert_holds(k, n);
        if m * n * k == 0 {
            return c.fill(0.0);
        }
        match self {
            Self::Gemm => gemm_crate::multiply([m, k, n], a, b, c),
            Self::OneDnn(library) => library.multiply([m, k, n], a, b, c),
            Self::Blas(library) => library.multiply([m, k, n], a, b, c),
            Self::Eigen(library) => library.multiply([m, k, n], a, b, c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folder of the shared libraries, as the plugin has it.
    const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../libraries");

    fn waves(len: usize, step: f32) -> Vec<f32> {
        (0..len).map(|at| (at as f32 * step).sin()).collect()
    }

    /// The product by its definition, in f64.
    fn defined([m, k, n]: [usize; 3], a: &[f32], b: Plain<'_>) -> Vec<f32> {
        let term = |i: usize, j: usize, p: usize| {
            f64::from(a[i * k + p]) * f64::from(b.values[p * b.row + j * b.column])
        };
        let sum = |at: usize| (0..k).map(|p| term(at / n, at % n, p)).sum::<f64>() as f32;
        (0..m * n).map(sum).collect()
    }

    #[test]
    fn each_library_multiplies_as_products_are_defined() {
        let switched = [(true, None), (false, Some(3)), (true, Some(64))]
            .map(|(saves_dispatch, inner_block)| ("onednn", Switches { saves_dispatch, inner_block }));
        for (name, switches) in NAMES.map(|name| (name, Switches::default())).into_iter().chain(switched) {
            if let Err(reason) = choose(name, switches, Path::new(FOLDER)) {
                println!("skipped: {reason}");
                continue;
            }
            for [m, k, n] in
                [[1, 1, 1], [1, 7, 5], [3, 40, 65], [8, 768, 768], [17, 33, 1], [5, 1, 9], [2, 0, 3]]
            {
                let (a, values) = (waves(m * k, 0.3), waves(k * (n + 4), 1.1));
                let normal = Plain { values: values.get(2..).unwrap_or_default(), row: n + 4, column: 1 };
                let transposed = Plain { values: &values[..k * n], row: 1, column: k };
                for b in [normal, transposed] {
                    let mut c = vec![f32::NAN; m * n];
                    chosen().multiply([m, k, n], &a, b, &mut c);
                    c.fill(f32::NAN);
                    // The same shape again, with what was kept of it.
                    chosen().multiply([m, k, n], &a, b, &mut c);
                    let expected = defined([m, k, n], &a, b);
                    let far = c.iter().zip(&expected).map(|(c, e)| (c - e).abs()).fold(0.0, f32::max);
                    assert!(far < 1e-4, "{name}, {switches:?}, {m} × {k} × {n}: {far}");
                    assert!(c.iter().all(|value| value.is_finite()), "{name}: every value is written");
                }
            }
        }
        choose("gemm", Switches::default(), Path::new(FOLDER)).unwrap();
    }

    #[test]
    fn a_library_that_is_not_there_is_named() {
        let fault = |name, switches, folder| choose(name, switches, Path::new(folder)).unwrap_err();
        let saved = Switches { saves_dispatch: true, ..Switches::default() };
        assert!(fault("gemm", saved, FOLDER).contains("no dispatch"));
        assert!(fault("atlas", Switches::default(), FOLDER).contains("gemm, onednn, mkl, openblas, eigen"));
        assert!(fault("onednn", Switches::default(), "/nowhere").contains("/nowhere/libdnnl.so.3"));
    }
}
