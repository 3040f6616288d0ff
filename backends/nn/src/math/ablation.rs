//! The papers' ablations of products, apart from the way that all others take: the product of a matrix that carries an
//! [`Ablation`] is computed around the one with packed weights.

use dyno_kernels::{Kernels, Result};

use super::auto_precision::AutoPrecision;
use super::form::Operands;
use super::matrix::{Ablation, Matrix};
use super::product::{Epilogue, Product};
use super::repacked::Repacked;

/// Another way to compute a product.
#[derive(Debug)]
pub(super) enum Ablated {
    AutoPrecision(Box<AutoPrecision>),
    Repacked(Repacked),
}

impl Ablated {
    /// The way for products of `matrix` with `bias`, if it carries an ablation.
    pub(super) fn of(kernels: Kernels, matrix: &Matrix<'_>, bias: &[f32]) -> Result<Option<Self>> {
        Ok(match matrix.ablation() {
            None => None,
            Some(Ablation::AutoPrecision(floats)) => {
                let timed = AutoPrecision::new(Product::new(kernels, floats, bias)?);
                Some(Self::AutoPrecision(timed.into()))
            }
            Some(Ablation::Repacked(floats)) => Some(Self::Repacked(Repacked::new(matrix, floats, bias))),
        })
    }

    /// Replaces `out` [rows, outputs] by y for each row of `input` [rows, inputs], as `product` would.
    pub(super) fn apply(
        &self,
        product: &Product,
        input: &[f32],
        operands: &mut Operands,
        then: Epilogue<'_>,
        out: &mut [f32],
    ) {
        match self {
            Self::AutoPrecision(timed) => timed.apply(product, input, operands, then, out),
            Self::Repacked(repacked) => {
                let packed = repacked.packed(product).expect("the same weights were packed before");
                packed.apply(input, operands, then, out);
            }
        }
    }
}
