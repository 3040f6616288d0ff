//! Tensors as products, norms and tables, with their shapes checked.

use std::borrow::Cow;
use std::cell::Cell;

use dyno_formats::Weights;
use dyno_kernels::{Kernels, Precision};
use dyno_nn::math::{Linear, Matrix, Norm};

use crate::Result;

/// Reader of a network's tensors.
#[derive(Clone, Copy)]
pub(super) struct Params<'a> {
    pub(super) weights: &'a Weights,
    pub(super) kernels: Kernels,
    pub(super) precision: Precision,
    /// Number of the parameters that were read so far.
    pub(super) read: &'a Cell<u64>,
}

impl<'a> Params<'a> {
    /// Values of the matrix `name` [rows, columns], all of them finite.
    pub(super) fn matrix(self, name: &str, rows: usize, columns: usize) -> Result<Cow<'a, [f32]>> {
        let values = self.weights.get(name)?.expect(rows, columns)?.finite_f32()?;
        self.read.set(self.read.get() + values.len() as u64);
        Ok(values)
    }

    fn vector(self, name: &str, size: usize) -> Result<Vec<f32>> {
        Ok(self.matrix(name, 1, size)?.into_owned())
    }

    /// The product `name`, with [outputs, inputs] weights as PyTorch stores them. Afterwards the file's
    /// pages are returned: packed weights need them no more.
    pub(super) fn linear(self, name: &str, inputs: usize, outputs: usize) -> Result<Linear> {
        let tensor = self.weights.get(&format!("{name}.weight"))?.expect(outputs, inputs)?;
        self.read.set(self.read.get() + tensor.len() as u64);
        let matrix = Matrix::transposed(tensor)?;
        let matrix = match self.precision {
            Precision::Int8 => matrix.in_int8(),
            Precision::Bf16 => matrix.in_bf16(),
            _ => matrix,
        };
        let bias = format!("{name}.bias");
        let bias = match self.weights.find(&bias) {
            Some(_) => self.vector(&bias, outputs)?,
            None => Vec::new(),
        };
        let linear = Linear::new(self.kernels, &matrix, &bias)?;
        self.weights.release();
        Ok(linear)
    }

    /// The layer norm `name`. Old files call scale and bias gamma and beta.
    pub(super) fn norm(self, name: &str, width: usize, epsilon: f32) -> Result<Norm> {
        let part = |new: &str, old: &str| {
            let old = format!("{name}.{old}");
            let name = if self.weights.find(&old).is_some() { old } else { format!("{name}.{new}") };
            self.vector(&name, width)
        };
        Ok(Norm::new(self.kernels, part("weight", "gamma")?, part("bias", "beta")?, epsilon))
    }
}
