//! `dyno-kernels` with f32 products by a library: unpacked weights, one call a product, as in the papers' baselines.
//! The library is oneDNN, MKL, OpenBLAS or Eigen, opened at run time ([`choose_library`]), or the gemm crate.
//!
//! The crate has the interface of `dyno-kernels` and stands in its place in this workspace, so that an engine differs
//! in its f32 products alone. [`Kernels`], [`Weights`] and [`Candidates`] wrap the kernels' types. f32 weights keep a
//! plain form [K, N], which the library reads, and packs, on each call; [`transpose_weights`] makes it [N, K], as
//! PyTorch keeps its weights. Scales, bias, activation and residual follow in separate loops. The threads of a [`Crew`]
//! call the library for their columns each.
//! Products of integers, and all vector maths, are the kernels' own.

mod adaptive;
mod blas;
mod candidates;
mod crew;
mod eigen;
mod gemm_crate;
mod library;
mod onednn;
mod packing;
mod plain;
mod weights;

pub use candidates::Candidates;
pub use crew::{Crew, Task};
pub use kernels::{
    Activation, Best, Error, Input, Isa, KeyValues, Layout, Mask, Mat, MatMut, Output, Precision, Result,
    Rows, RowsPart, ScaledRows, ScaledTask, SelfAttention, SharedBytes, Tuning, UnknownIsa, ticks,
};
pub use library::{Library, NAMES, choose as choose_library, open as open_library};
pub use onednn::Switches;
pub use packing::{Kernels, adapt_weights, transpose_weights};
pub use plain::Plain;
pub use weights::Weights;

#[cfg(test)]
mod tests {
    use super::*;

    fn waves(len: usize, step: f32) -> Vec<f32> {
        (0..len).map(|i| (i as f32 * step).sin()).collect()
    }

    /// Results of one product as f32, and as the best of each row, by the library and by the kernels.
    fn both(weights: &Weights, x: &[f32], residual: &[f32], m: usize) -> [(Vec<f32>, Vec<Best>); 2] {
        let n = weights.n();
        [true, false].map(|by_library| {
            let (mut y, mut best) = (vec![0.0; m * n], vec![Best::NONE; m]);
            let input = || Input::f32(x, m, weights.k()).unwrap();
            let multiply = |activation, residual, output| match by_library {
                true => weights.multiply(input(), 0..n, activation, residual, output).unwrap(),
                false => weights.ours.multiply(input(), 0..n, activation, residual, output).unwrap(),
            };
            let mat = Some(Mat::new(residual, m, n).unwrap());
            multiply(Activation::Swish, mat, Output::F32(MatMut::new(&mut y, m, n).unwrap()));
            multiply(Activation::None, None, Output::Best { best: &mut best, mask: None });
            (y, best)
        })
    }

    fn assert_same([library, ours]: [(Vec<f32>, Vec<Best>); 2], what: &str) {
        let far = library.0.iter().zip(&ours.0).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(far < 1e-4, "{what}: {far}");
        for (library, ours) in library.1.iter().zip(&ours.1) {
            assert!(
                (library.value - ours.value).abs() < 1e-4 && library.column == ours.column,
                "{library:?} {ours:?}"
            );
        }
    }

    #[test]
    fn the_library_computes_what_the_kernels_do() {
        for (transposed, adaptive) in [(false, false), (true, false), (true, true)] {
            transpose_weights(transposed);
            adapt_weights(adaptive);
            computes_what_the_kernels_do();
        }
        transpose_weights(false);
        adapt_weights(false);
    }

    fn computes_what_the_kernels_do() {
        for (m, k, n) in [(1, 7, 5), (3, 40, 65), (6, 64, 130), (17, 33, 16)] {
            for layout in [Layout::Kn, Layout::Nk] {
                let packed = Kernels::best().pack_f32(&waves(k * n, 1.1), k, n, layout).unwrap();
                let weights = packed.with_bias(&waves(n, 0.5)).unwrap();
                let (x, residual) = (waves(m * k, 0.3), waves(m * n, 0.2));
                assert_same(both(&weights, &x, &residual, m), &format!("{m}x{k}x{n}"));
                assert_shares_are_the_whole(&weights, &x, &residual, m);
                // Candidates in their order, and all of them.
                let candidates = Candidates::new(weights);
                let chosen: Vec<u32> = (0..n as u32).rev().step_by(2).collect();
                let mut gathered = candidates.room(0);
                candidates.gather(&chosen, &mut gathered).unwrap();
                assert_same(both(&gathered, &x, &residual[..m * chosen.len()], m), "gathered");
                assert_same(both(&candidates.packed().unwrap(), &x, &residual, m), "all columns");
            }
        }
    }

    /// Threads that share columns get the kernels' results, by the library: a wrong plain form shows.
    fn assert_shares_are_the_whole(weights: &Weights, x: &[f32], residual: &[f32], m: usize) {
        let (n, [_, (expected, _)]) = (weights.n(), both(weights, x, residual, m));
        let mut found = vec![0.0; m * n];
        let mut rest = MatMut::new(&mut found, m, n).unwrap();
        let mut zeros = weights.clone();
        zeros.plain.fill(0.0);
        zeros.other.fill(0.0);
        for thread in 0..3 {
            let columns = weights.share(thread, 3);
            let residual = Mat::new(residual, m, n).unwrap().columns(columns.clone()).unwrap();
            let (out, others) = rest.split_columns(columns.len());
            rest = others;
            let input = || Input::f32(x, m, weights.k()).unwrap();
            weights
                .multiply(input(), columns.clone(), Activation::Swish, Some(residual), Output::F32(out))
                .unwrap();
            let mut other = vec![1.0; m * columns.len()];
            let out = Output::F32(MatMut::new(&mut other, m, columns.len()).unwrap());
            zeros.multiply(input(), columns.clone(), Activation::None, None, out).unwrap();
            let bias = &weights.bias[columns];
            assert!(
                other.chunks(bias.len().max(1)).all(|row| row == bias),
                "the library reads the plain form"
            );
        }
        let far = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(far < 1e-4, "{far}");
    }
}
