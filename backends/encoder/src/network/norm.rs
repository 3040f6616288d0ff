//! Layer norms.

use dyno_kernels::Kernels;

/// Scale and bias of a layer norm.
#[derive(Debug)]
pub(crate) struct Norm {
    scale: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl Norm {
    pub(super) fn new(scale: Vec<f32>, bias: Vec<f32>, epsilon: f32) -> Self {
        Self { scale, bias, epsilon }
    }

    /// Normalises each row.
    pub(super) fn apply(&self, kernels: Kernels, rows: &mut [f32]) {
        let normalised = kernels.layer_norm(rows, &self.scale, &self.bias, self.epsilon);
        normalised.expect("rows are as wide as the norm");
    }
}
