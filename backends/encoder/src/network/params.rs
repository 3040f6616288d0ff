//! Tensors as products, norms and tables, with their shapes checked.

use std::borrow::Cow;
use std::cell::Cell;

use dyno_formats::Weights;
use dyno_formats::quantise::{Role, int8};
use dyno_kernels::{Kernels, Layout};

use super::linear::Linear;
use super::norm::Norm;
use crate::Result;
use crate::settings::Precision;

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
        let values = self.matrix(&format!("{name}.weight"), outputs, inputs)?;
        let packed = match self.precision {
            Precision::F32 => self.kernels.pack_f32(&values, inputs, outputs, Layout::Nk),
            Precision::Int8 => {
                // A row of the file is a column of the product, and gets a scale of its own.
                let (integers, scales) = int8(&values, outputs, inputs, Role::Embedding);
                let packed = self.kernels.pack_int8(&integers, inputs, outputs, Layout::Nk);
                packed.and_then(|packed| packed.with_scales(&scales))
            }
        };
        let bias = format!("{name}.bias");
        let bias = match self.weights.find(&bias) {
            Some(_) => self.vector(&bias, outputs)?,
            None => vec![0.0; outputs],
        };
        let linear = Linear::new(packed?.with_bias(&bias)?);
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
        Ok(Norm::new(part("weight", "gamma")?, part("bias", "beta")?, epsilon))
    }
}
