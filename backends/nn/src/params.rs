//! Reading parameters by Marian's names, shapes checked.

use dyno_formats::{Result, Weights};

use crate::math::Linear;

/// The weights of a model, as layers ask for them.
#[derive(Clone, Copy)]
pub struct Params<'a>(pub &'a Weights);

impl Params<'_> {
    /// Whether the tensor is there.
    pub fn has(&self, name: &str) -> bool {
        self.0.find(name).is_some()
    }

    /// A matrix [rows, columns], row-major.
    ///
    /// # Errors
    /// When it is missing, or has another shape.
    pub fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Vec<f32>> {
        Ok(self.0.get(name)?.expect(rows, columns)?.to_f32()?.into_owned())
    }

    /// A vector [1, len].
    ///
    /// # Errors
    /// When it is missing, or has another shape.
    pub fn vector(&self, name: &str, len: usize) -> Result<Vec<f32>> {
        self.matrix(name, 1, len)
    }

    /// x·W + b with weights [inputs, outputs]; without a bias where `bias` is `None`.
    ///
    /// # Errors
    /// When one is missing, or has another shape.
    pub fn linear(&self, weights: &str, bias: Option<&str>, inputs: usize, outputs: usize) -> Result<Linear> {
        let bias = bias.map(|name| self.vector(name, outputs)).transpose()?.unwrap_or_default();
        Ok(Linear::new(self.matrix(weights, inputs, outputs)?, bias, inputs, outputs))
    }

    /// The layer `{prefix}_W{suffix}`, `{prefix}_b{suffix}`.
    ///
    /// # Errors
    /// As [`linear`](Self::linear).
    pub fn dense(&self, prefix: &str, suffix: &str, inputs: usize, outputs: usize) -> Result<Linear> {
        let (weights, bias) = (format!("{prefix}_W{suffix}"), format!("{prefix}_b{suffix}"));
        self.linear(&weights, Some(&bias), inputs, outputs)
    }

    /// How many columns a matrix has: where the configuration doesn't say a width.
    ///
    /// # Errors
    /// When it is missing, or no matrix.
    pub fn columns(&self, name: &str) -> Result<usize> {
        Ok(self.0.get(name)?.matrix()?.1)
    }
}
