//! Layer norms, whose rows threads share.

use dyno_kernels::Kernels;

use super::threads::Threads;
use crate::watch::Operator;

/// Scale and bias of a layer norm, of one width.
#[derive(Debug)]
pub struct Norm {
    kernels: Kernels,
    scale: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl Norm {
    /// A norm with scale and bias `[width]`.
    ///
    /// # Panics
    /// When scale and bias have different widths.
    pub fn new(kernels: Kernels, scale: Vec<f32>, bias: Vec<f32>, epsilon: f32) -> Self {
        assert_eq!(scale.len(), bias.len(), "a norm has one width");
        Self { kernels, scale, bias, epsilon }
    }

    /// Normalises each row of `rows` [n, width].
    ///
    /// # Panics
    /// When the last row isn't whole.
    pub fn apply(&self, rows: &mut [f32], threads: &mut Threads) {
        let _norm = Operator::Norm.span();
        threads.each_rows(rows, self.scale.len(), |_, rows| {
            let normalised = self.kernels.layer_norm(rows, &self.scale, &self.bias, self.epsilon);
            normalised.expect("rows are as wide as the norm");
        });
    }
}
