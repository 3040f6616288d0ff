//! A product without memoised weights, as Marian multiplied before its team memoised constants (2018, 4.3).
//!
//! The weights lie in f32. Each product quantises them with the scales of the first time, and packs them. So the
//! results are those of weights that were quantised beforehand, and the time shows what memoising them saves.
//! Only the setting `memoised-weights` turns this on.

use dyno_kernels::Result;

use super::matrix::Matrix;
use super::product::Product;
use crate::watch::Operator;

/// Weights in f32, and what quantising and packing them needs.
#[derive(Debug)]
pub(super) struct Repacked {
    floats: Matrix<'static>,
    scales: Vec<f32>,
    bias: Vec<f32>,
}

impl Repacked {
    /// The integers `matrix`, from the weights `floats` before quantisation.
    pub(super) fn new(matrix: &Matrix<'_>, floats: &Matrix<'_>, bias: &[f32]) -> Self {
        let scales = matrix.scales().map(<[f32]>::to_vec).unwrap_or_default();
        Self { floats: floats.widened(), scales, bias: bias.to_vec() }
    }

    /// The product `memoised` with weights that are packed now.
    pub(super) fn packed(&self, memoised: &Product) -> Result<Product> {
        let _quantise = Operator::Quantise.span();
        let (kernels, form) = (memoised.kernels(), memoised.form());
        let matrix = self.floats.quantised(form, &self.scales);
        let weights = matrix.pack_outputs(kernels, form, 0..matrix.outputs(), &self.bias)?;
        Ok(Product::of_packed(kernels, weights, form))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Ablation, Kernels, Linear, Operands};

    fn waves(len: usize, step: f32) -> Vec<f32> {
        (0..len).map(|i| (i as f32 * step).sin()).collect()
    }

    #[test]
    fn weights_that_are_packed_anew_give_the_same_bits() {
        let (inputs, outputs, floats) = (40, 23, waves(40 * 23, 1.1));
        let (input, bias) = (waves(3 * inputs, 0.7), waves(outputs, 0.4));
        // Ten bits of fraction: a power of two, so that no scale is rounded.
        let scales = vec![1.0 / 1024.0; outputs];
        let int16 = Matrix::plain(floats.clone(), inputs, outputs)
            .quantised(crate::math::Form::Int16 { limit: 0 }, &scales);
        let anew = int16
            .clone()
            .with_ablation(Some(Ablation::Repacked(Matrix::plain(floats, inputs, outputs).into())));
        let results = [int16, anew].map(|matrix| {
            let (mut out, mut operands) = (Vec::new(), Operands::default());
            Linear::new(Kernels::best(), &matrix, &bias).unwrap().apply(&input, &mut operands, &mut out);
            out
        });
        assert_eq!(results[0], results[1]);
        // Against plain sums: a unit of 1/1024 and rows of 15 bits err by less than this.
        for (row, y) in input.chunks(inputs).zip(results[1].chunks(outputs)) {
            for (n, y) in y.iter().enumerate() {
                let sum: f32 =
                    row.iter().enumerate().map(|(k, x)| x * waves(40 * 23, 1.1)[k * outputs + n]).sum();
                assert!((y - sum - bias[n]).abs() < 0.02, "{y} {sum}");
            }
        }
    }
}
