//! Products with a file's weights, quantised or not.

use dyno_formats::{Gguf, Quanta};
use dyno_kernels::{
    Activation, Input, Kernels, Layout, MatMut, ScaledForm, ScaledRows, ScaledTask, ScaledWeights, Task,
    Weights,
};
use dyno_nn::math::Threads;
use dyno_nn::watch::Operator;

use crate::{Error, Result};

/// Reason why a product succeeds.
const WHOLE: &str = "rows are whole, and as wide as the weights";

/// Weights of a product.
pub(crate) enum Linear {
    /// Quantised, as in the file.
    Scaled(ScaledWeights),
    /// Floats of 16 bits as in the file, or of 32.
    Floats(Weights),
}

impl Linear {
    /// Packs the tensor `name` [outputs, inputs].
    pub(super) fn new(
        file: &Gguf,
        kernels: Kernels,
        name: &str,
        (outputs, inputs): (usize, usize),
    ) -> Result<Self> {
        let tensor = file.expect(name, outputs, inputs)?;
        let packed = match tensor.format.quanta() {
            Some(form) => {
                let form = ScaledForm {
                    four_bits: form.four_bits,
                    zero: form.zero,
                    scales: form.scales,
                    minima: form.minima,
                };
                ScaledWeights::pack(form, (outputs, inputs), |row, to| {
                    let (quanta, scales, minima) = (&mut to.quanta, &mut to.scales, &mut to.minima);
                    tensor.read_quanta(row, Quanta { quanta, scales, minima });
                })
                .map(Self::Scaled)
            }
            None => match tensor.halves().filter(|_| inputs.is_multiple_of(2)) {
                Some(halves) => kernels.pack_f16(&halves, inputs, outputs, Layout::Nk),
                None => kernels.pack_f32(&tensor.to_f32(), inputs, outputs, Layout::Nk),
            }
            .map(Self::Floats),
        };
        file.release(name);
        packed.map_err(|source| Error::Kernels { path: file.path().into(), source })
    }

    pub(super) fn outputs(&self) -> usize {
        match self {
            Self::Scaled(weights) => weights.n(),
            Self::Floats(weights) => weights.n(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Scaled(weights) => weights.bytes(),
            Self::Floats(weights) => weights.bytes(),
        }
    }
}

/// Computes products of the rows `x` [rows, width], each into its result [rows, outputs]. `quantised` is a
/// buffer.
pub(super) fn multiply<const N: usize>(
    (threads, kernels): (&mut Threads, Kernels),
    quantised: &mut ScaledRows,
    (x, width): (&[f32], usize),
    tasks: [(&Linear, &mut Vec<f32>); N],
) {
    let rows = x.len() / width;
    let (mut scaled, mut whole) = (Vec::with_capacity(N), Vec::with_capacity(N));
    for (linear, out) in tasks {
        out.resize(rows * linear.outputs(), 0.0);
        let out = MatMut::new(out, rows, linear.outputs()).expect(WHOLE);
        match linear {
            Linear::Scaled(weights) => scaled.push(ScaledTask { weights, out }),
            Linear::Floats(weights) => {
                whole.push(Task { weights, activation: Activation::None, residual: None, out });
            }
        }
    }
    if !scaled.is_empty() {
        let quantise = Operator::Quantise.span();
        quantised.quantise(kernels, x, width).expect(WHOLE);
        drop(quantise);
        threads.multiply_scaled(kernels, quantised, &mut scaled).expect(WHOLE);
    }
    if !whole.is_empty() {
        threads.multiply(Input::f32(x, rows, width).expect(WHOLE), &mut whole).expect(WHOLE);
    }
}
