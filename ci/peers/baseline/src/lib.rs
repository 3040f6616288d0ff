//! Every engine of ours as one plugin, with f32 products by the `gemm` crate: unpacked weights, one call a product, as the
//! papers' baselines have it. Only `precision = "f32"` makes sense of it; everything else runs as in dyno.
//!
//! `cargo build --release --manifest-path ci/peers/baseline/Cargo.toml --target-dir ci/peers/baseline/target`

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dyno_api::{Backend, Error, Model, Result, Settings};
use dyno_kernels::library::multiply_f32_by;

dyno_plugin::export!(Baseline);

/// Whichever engine suits the models, multiplied by a library.
pub struct Baseline;

const ENGINES: [&dyn Backend; 4] =
    [&dyno_rnn_fc::ENGINE, &dyno_gru::ENGINE, &dyno_ssru::ENGINE, &dyno_transformer_aan::ENGINE];

impl Backend for Baseline {
    fn name(&self) -> &'static str {
        "baseline"
    }

    fn about(&self) -> &'static str {
        "Our engines with f32 products by the gemm crate"
    }

    fn suits(&self, model: &Path) -> bool {
        ENGINES.iter().any(|engine| engine.suits(model))
    }

    fn open(&self, models: &[PathBuf], settings: &Settings) -> Result<Arc<dyn Model>> {
        multiply_f32_by(gemm);
        let suits = |engine: &&&dyn Backend| models.iter().all(|model| engine.suits(model));
        let engine = ENGINES.iter().find(suits).ok_or_else(|| Error::Failed {
            backend: self.name().into(),
            reason: "no engine suits the models".into(),
        })?;
        engine.open(models, settings)
    }
}

/// C [m, n] = A [m, k] · B [k, n].
fn gemm([m, k, n]: [usize; 3], a: &[f32], b: &[f32], c: &mut [f32]) {
    assert!(a.len() == m * k && b.len() == k * n && c.len() == m * n);
    // SAFETY: three row-major matrices of just these shapes, as was asserted.
    unsafe {
        gemm::gemm(
            m, n, k, c.as_mut_ptr(), 1, n as isize, false, a.as_ptr(), 1, k as isize, b.as_ptr(), 1, n as isize, 0.0, 1.0,
            false, false, false, gemm::Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_kernels::{Activation, Best, Input, Kernels, Layout, Mat, MatMut, Output, Weights};

    fn waves(len: usize, step: f32) -> Vec<f32> {
        (0..len).map(|i| (i as f32 * step).sin()).collect()
    }

    fn rows(weights: &Weights, x: &[f32], residual: &[f32], m: usize) -> (Vec<f32>, Vec<Best>) {
        let (n, mut y, mut best) = (weights.n(), vec![0.0; residual.len()], vec![Best::NONE; m]);
        let input = || Input::f32(x, m, weights.k()).unwrap();
        let mat = Some(Mat::new(residual, m, n).unwrap());
        let to = Output::F32(MatMut::new(&mut y, m, n).unwrap());
        weights.multiply(input(), 0..n, Activation::Swish, mat, to).unwrap();
        let to = Output::Best { best: &mut best, mask: None };
        weights.multiply(input(), 0..n, Activation::None, None, to).unwrap();
        (y, best)
    }

    #[test]
    fn the_library_computes_what_we_do() {
        let shapes = [(1, 7, 5), (3, 40, 65), (6, 64, 130), (17, 33, 16)];
        let pack = |(_, k, n)| {
            let packed = Kernels::best().pack_f32(&waves(k * n, 1.1), k, n, Layout::Kn);
            packed.unwrap().with_bias(&waves(n, 0.5)).unwrap()
        };
        // What was packed before has no plain form, so that our own products stand beside the library's.
        let ours = shapes.map(pack);
        multiply_f32_by(gemm);
        for ((m, k, n), ours) in shapes.into_iter().zip(&ours) {
            let (x, residual) = (waves(m * k, 0.3), waves(m * n, 0.2));
            let (expected, found) = (rows(ours, &x, &residual, m), rows(&pack((m, k, n)), &x, &residual, m));
            let far = expected.0.iter().zip(&found.0).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(far < 1e-4, "{m}x{k}x{n}: {far}");
            for (ours, theirs) in expected.1.iter().zip(&found.1) {
                assert!((ours.value - theirs.value).abs() < 1e-4 && ours.column == theirs.column, "{ours:?} {theirs:?}");
            }
        }
    }
}
