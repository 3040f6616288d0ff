//! The crew of `dyno-kernels`, whose products are this crate's: each thread calls the library for its share of the
//! columns.

use std::io;
use std::ops::{Deref, DerefMut, Range};

use kernels::{Activation, Input, Mat, MatMut, Output, Result, ScaledRows, ScaledTask};

use crate::{Kernels, Weights};

/// A product with its result, as in `dyno-kernels`.
#[derive(Debug)]
pub struct Task<'a> {
    /// Weights [K, N].
    pub weights: &'a Weights,
    /// Activation after the product.
    pub activation: Activation,
    /// Summand [rows, N].
    pub residual: Option<Mat<'a>>,
    /// Result [rows, N].
    pub out: MatMut<'a, f32>,
}

impl Task<'_> {
    /// As in `dyno-kernels`.
    pub fn bytes(&self) -> usize {
        self.weights.bytes() * self.out.shape().0
    }

    /// As in `dyno-kernels`.
    pub fn multiply(&mut self, input: Input<'_>) -> Result<()> {
        let all = 0..self.weights.n();
        self.weights.multiply(input, all, self.activation, self.residual, Output::F32(self.out.view()))
    }

    /// The columns of each of `threads` threads.
    fn shares(&mut self, threads: usize) -> Result<Vec<Share<'_>>> {
        let mut rest = self.out.view();
        let mut shares = Vec::with_capacity(threads);
        for thread in 0..threads {
            let columns = self.weights.share(thread, threads);
            let residual = self.residual.map(|residual| residual.columns(columns.clone())).transpose()?;
            let (out, others) = rest.split_columns(columns.len());
            rest = others;
            shares.push(Share { weights: self.weights, activation: self.activation, columns, residual, out });
        }
        Ok(shares)
    }
}

/// A thread's columns of a product.
struct Share<'a> {
    weights: &'a Weights,
    activation: Activation,
    columns: Range<usize>,
    residual: Option<Mat<'a>>,
    out: MatMut<'a, f32>,
}

impl Share<'_> {
    fn multiply(&mut self, input: Input<'_>) -> Result<()> {
        let to = Output::F32(self.out.view());
        self.weights.multiply(input, self.columns.clone(), self.activation, self.residual, to)
    }
}

/// The threads of `dyno-kernels`.
#[derive(Debug, Default)]
pub struct Crew(kernels::Crew);

impl Crew {
    /// As in `dyno-kernels`.
    pub fn new(threads: usize) -> io::Result<Self> {
        kernels::Crew::new(threads).map(Self)
    }

    /// As in `dyno-kernels`.
    pub fn threads(&self) -> usize {
        self.0.threads()
    }

    /// As in `dyno-kernels`, by the library: one call for each task and thread.
    pub fn multiply(&mut self, input: Input<'_>, tasks: &mut [Task<'_>]) -> Result<()> {
        let threads = self.threads();
        let mut works: Vec<_> = (0..threads).map(|_| (Vec::with_capacity(tasks.len()), Ok(()))).collect();
        for task in tasks {
            for (work, share) in works.iter_mut().zip(task.shares(threads)?) {
                work.0.push(share);
            }
        }
        self.0.each(&mut works, |(shares, result)| {
            *result = shares.iter_mut().try_for_each(|share: &mut Share<'_>| share.multiply(input));
        });
        works.into_iter().try_for_each(|(_, result)| result)
    }

    /// As in `dyno-kernels`, which multiplies them, too.
    pub fn multiply_scaled(
        &mut self,
        kernels: Kernels,
        rows: &ScaledRows,
        tasks: &mut [ScaledTask<'_>],
    ) -> Result<()> {
        self.0.multiply_scaled(*kernels, rows, tasks)
    }
}

impl Deref for Crew {
    type Target = kernels::Crew;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Crew {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;

    #[test]
    fn threads_compute_what_one_does() {
        let (m, k, n) = (3, 40, 130);
        let waves = |len: usize, step: f32| (0..len).map(|i| (i as f32 * step).sin()).collect::<Vec<f32>>();
        let weights = Kernels::best().pack_f32(&waves(k * n, 0.7), k, n, Layout::Kn).unwrap();
        let (x, residual) = (waves(m * k, 0.3), waves(m * n, 0.2));
        let results = [1, 2, 3].map(|threads| {
            let mut y = vec![0.0; m * n];
            let (residual, out) =
                (Some(Mat::new(&residual, m, n).unwrap()), MatMut::new(&mut y, m, n).unwrap());
            let mut tasks = [Task { weights: &weights, activation: Activation::Swish, residual, out }];
            Crew::new(threads).unwrap().multiply(Input::f32(&x, m, k).unwrap(), &mut tasks).unwrap();
            y
        });
        for several in &results[1..] {
            let far = several.iter().zip(&results[0]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(far < 1e-5, "{far}");
        }
    }
}
