//! Reading parameters by Marian's names, shapes checked.

use dyno_formats::{Result, Tensor, Weights};

use crate::math::{Kernels, Linear, Matrix};

/// The weights of a model, as layers ask for them, and what their products are to be computed with.
#[derive(Clone, Copy)]
pub struct Params<'a> {
    weights: &'a Weights,
    kernels: Kernels,
}

impl<'a> Params<'a> {
    /// Of a model's weights.
    pub fn new(weights: &'a Weights, kernels: Kernels) -> Self {
        Self { weights, kernels }
    }

    /// All of them.
    pub fn weights(self) -> &'a Weights {
        self.weights
    }

    /// What products are computed with.
    pub fn kernels(self) -> Kernels {
        self.kernels
    }

    /// Whether the tensor is there.
    pub fn has(self, name: &str) -> bool {
        self.weights.find(name).is_some()
    }

    /// A matrix [rows, columns] in f32, row-major.
    ///
    /// # Errors
    /// When it is missing, or has another shape.
    pub fn matrix(self, name: &str, rows: usize, columns: usize) -> Result<Vec<f32>> {
        Ok(self.tensor(name, rows, columns)?.to_f32()?.into_owned())
    }

    /// A vector [1, len].
    ///
    /// # Errors
    /// When it is missing, or has another shape.
    pub fn vector(self, name: &str, len: usize) -> Result<Vec<f32>> {
        self.matrix(name, 1, len)
    }

    /// The weights [inputs, outputs] of a product, as the file has them.
    ///
    /// # Errors
    /// When they are missing, or have another shape.
    pub fn product(self, name: &str, inputs: usize, outputs: usize) -> Result<Matrix<'a>> {
        Matrix::of(self.tensor(name, inputs, outputs)?)
    }

    /// x·W + b of these weights; an empty bias is none. `name` is for messages.
    ///
    /// # Errors
    /// When they can't be packed.
    pub fn pack(self, matrix: &Matrix<'_>, bias: &[f32], name: &str) -> Result<Linear> {
        Linear::new(self.kernels, matrix, bias).map_err(|error| self.fault(name, &error))
    }

    /// An error of packing as one about the tensor `name`.
    pub(crate) fn fault(self, name: &str, error: &dyno_kernels::Error) -> dyno_formats::Error {
        match self.weights.get(name) {
            Ok(tensor) => tensor.fault(error.to_string()),
            Err(missing) => missing,
        }
    }

    /// x·W + b with weights [inputs, outputs]; without a bias where `bias` is `None`.
    ///
    /// # Errors
    /// When one is missing, or has another shape.
    pub fn linear(self, weights: &str, bias: Option<&str>, inputs: usize, outputs: usize) -> Result<Linear> {
        let bias = bias.map(|name| self.vector(name, outputs)).transpose()?.unwrap_or_default();
        self.pack(&self.product(weights, inputs, outputs)?, &bias, weights)
    }

    /// The layer `{prefix}_W{suffix}`, `{prefix}_b{suffix}`.
    ///
    /// # Errors
    /// As [`linear`](Self::linear).
    pub fn dense(self, prefix: &str, suffix: &str, inputs: usize, outputs: usize) -> Result<Linear> {
        let (weights, bias) = (format!("{prefix}_W{suffix}"), format!("{prefix}_b{suffix}"));
        self.linear(&weights, Some(&bias), inputs, outputs)
    }

    /// How many columns a matrix has: where the configuration doesn't say a width.
    ///
    /// # Errors
    /// When it is missing, or no matrix.
    pub fn columns(self, name: &str) -> Result<usize> {
        Ok(self.weights.get(name)?.matrix()?.1)
    }

    pub(crate) fn tensor(self, name: &str, rows: usize, columns: usize) -> Result<Tensor<'a>> {
        self.weights.get(name)?.expect(rows, columns)
    }
}
