//! Norms of rows, which threads share.

use dyno_kernels::Kernels;

use super::threads::Threads;
use crate::watch::Operator;

/// A norm of rows of one width.
#[derive(Debug)]
pub struct Norm {
    kernels: Kernels,
    scale: Vec<f32>,
    /// Bias of a layer norm. A norm by the root of the mean square has none.
    bias: Option<Vec<f32>>,
    epsilon: f32,
}

/// Reason why calls of the kernels succeed.
const WIDE: &str = "rows are as wide as the norm";

impl Norm {
    /// A layer norm with scale and bias `[width]`.
    ///
    /// # Panics
    /// When scale and bias have different widths.
    pub fn new(kernels: Kernels, scale: Vec<f32>, bias: Vec<f32>, epsilon: f32) -> Self {
        assert_eq!(scale.len(), bias.len(), "a norm has one width");
        Self { kernels, scale, bias: Some(bias), epsilon }
    }

    /// A norm by the root of the mean square, with a scale `[width]`.
    pub fn root_mean_square(kernels: Kernels, scale: Vec<f32>, epsilon: f32) -> Self {
        Self { kernels, scale, bias: None, epsilon }
    }

    /// Normalises each row of `rows` [n, width].
    ///
    /// # Panics
    /// When the last row isn't whole.
    pub fn apply(&self, rows: &mut [f32], threads: &mut Threads) {
        let _norm = Operator::Norm.span();
        let Self { kernels, scale, bias, epsilon } = self;
        threads.each_rows(rows, scale.len(), |_, rows| match bias {
            Some(bias) => kernels.layer_norm(rows, scale, bias, *epsilon).expect(WIDE),
            None => rows
                .chunks_mut(scale.len().max(1))
                .for_each(|row| kernels.rms_norm(row, scale, *epsilon).expect(WIDE)),
        });
    }
}
