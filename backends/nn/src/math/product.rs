//! A product with packed weights in one precision: y = x·W + b.
//!
//! f32 weights are multiplied in f32. Integer weights are multiplied with rows that are quantised first;
//! integer sums are exact. The weights are packed once, and each row's result is the same in any batch.

use dyno_kernels::{Activation, Input, Kernels, Mat, MatMut, Task, Weights};

use super::form::{Form, Operands};
use super::matrix::Matrix;
use super::threads::Threads;

/// Packed weights, and the form in which the product reads rows.
#[derive(Clone, Debug)]
pub(super) struct Product {
    weights: Weights,
    form: Form,
    kernels: Kernels,
}

/// Operations that follow a product in the same loop: first the activation, then the sum with a residual.
#[derive(Clone, Copy, Debug, Default)]
pub struct Epilogue<'a> {
    /// Activation of each element.
    pub activation: Activation,
    /// Residual [rows, outputs], which is added to the result.
    pub residual: Option<&'a [f32]>,
}

impl<'a> Epilogue<'a> {
    /// The sum with a residual, and nothing else.
    pub fn sum(residual: &'a [f32]) -> Self {
        Self { activation: Activation::None, residual: Some(residual) }
    }
}

/// Reason why calls of the kernels succeed.
pub(super) const WHOLE: &str = "rows are whole, and as wide as the weights";

impl Product {
    pub(super) fn new(kernels: Kernels, matrix: &Matrix<'_>, bias: &[f32]) -> dyno_kernels::Result<Self> {
        let (weights, form) = matrix.pack(kernels, bias)?;
        Ok(Self::of_packed(kernels, weights, form))
    }

    /// A product with weights that were packed for rows of this form.
    pub(super) fn of_packed(kernels: Kernels, weights: Weights, form: Form) -> Self {
        Self { weights, form, kernels }
    }

    pub(super) fn inputs(&self) -> usize {
        self.weights.k()
    }

    pub(super) fn outputs(&self) -> usize {
        self.weights.n()
    }

    pub(super) fn kernels(&self) -> Kernels {
        self.kernels
    }

    pub(super) fn form(&self) -> Form {
        self.form
    }

    pub(super) fn weights(&self) -> &Weights {
        &self.weights
    }

    /// `input` [rows, inputs] in the form that the product reads, and the threads that share the product.
    pub(super) fn operand<'a>(
        &self,
        input: &'a [f32],
        operands: &'a mut Operands,
    ) -> (Input<'a>, &'a mut Threads) {
        operands.fill(self.kernels, self.form, input, self.inputs()).expect(WHOLE)
    }

    /// Replaces `out` [rows, outputs] by y for each row of `input` [rows, inputs].
    pub(super) fn apply(&self, input: &[f32], operands: &mut Operands, then: Epilogue<'_>, out: &mut [f32]) {
        let rows = input.len() / self.inputs();
        let (operand, threads) = self.operand(input, operands);
        threads.multiply(operand, &mut [self.task(rows, then, out)]).expect(WHOLE);
    }

    /// The product with rows of this form, and with `out` [rows, outputs] for y.
    pub(super) fn task<'a>(&'a self, rows: usize, then: Epilogue<'a>, out: &'a mut [f32]) -> Task<'a> {
        let columns = self.outputs();
        let residual = then.residual.map(|residual| Mat::new(residual, rows, columns).expect(WHOLE));
        Task {
            weights: &self.weights,
            activation: then.activation,
            residual,
            out: MatMut::new(out, rows, columns).expect(WHOLE),
        }
    }
}
