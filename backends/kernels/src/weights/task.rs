//! Products whose columns the threads of a crew share.
//!
//! A thread computes whole panels of columns and all of K for them. So each value comes from the same sum as on
//! one thread, and the results are the same bits for any number of threads. A thread's columns are the same each
//! time, so that its near cache keeps its part of the weights.

use super::packed::Weights;
use super::rows::Input;
use crate::tile::{Activation, Mat, MatMut, Output};
use crate::{Crew, Result};

/// A product with its result, among others that read the same rows.
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
    /// Bytes of weights that the product takes through registers. Its time follows from them in any precision.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.weights.bytes() * self.out.shape().0
    }

    /// Computes the product on this thread alone.
    ///
    /// # Errors
    /// When an operand has another shape or form than the weights expect.
    pub fn multiply(&mut self, input: Input<'_>) -> Result<()> {
        let to = Output::F32(self.out.view());
        self.weights.multiply(input, 0..self.weights.n(), self.activation, self.residual, to)
    }

    fn check(&self, input: &Input<'_>) -> Result<()> {
        let columns = self.weights.n();
        self.weights.check(input, &(0..columns), self.residual.as_ref())?;
        self.out.fits(input.rows, columns)
    }

    /// Replaces the results in the columns of one of `of` threads.
    fn share(&self, input: Input<'_>, thread: usize, of: usize) {
        let columns = self.weights.share(thread, of);
        let residual = self.residual.map(|residual| residual.columns(columns.clone()).expect(CHECKED));
        // SAFETY: the shares of threads have no column in common, and a thread has one view at a time.
        let out = unsafe { self.out.columns(columns.clone()) };
        self.weights.multiply(input, columns, self.activation, residual, Output::F32(out)).expect(CHECKED);
    }
}

/// Reason why a thread's share of a product succeeds.
const CHECKED: &str = "all operands were checked for all columns";

impl Crew {
    /// Computes products that read the same rows.
    ///
    /// # Errors
    /// When an operand has another shape or form than the weights expect.
    ///
    /// # Panics
    /// When a thread panics.
    pub fn multiply(&mut self, input: Input<'_>, tasks: &mut [Task<'_>]) -> Result<()> {
        tasks.iter().try_for_each(|task| task.check(&input))?;
        let (threads, tasks) = (self.threads(), &*tasks);
        self.region(&|thread| tasks.iter().for_each(|task| task.share(input, thread, threads)));
        Ok(())
    }
}
