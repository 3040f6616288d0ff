//! The papers' ablations of products, apart from the way that all others take: the product of a matrix that carries an
//! [`Ablation`] is computed by a decorator of the one with packed weights.

use std::sync::Arc;

use dyno_kernels::{Kernels, Result};

use super::auto_precision::AutoPrecision;
use super::matrix::{Ablation, Matrix};
use super::product::{Decorator, Product};
use super::repacked::Repacked;

/// The decorator for products of `matrix` with `bias`, if it carries an ablation.
pub(super) fn decorator(
    kernels: Kernels,
    matrix: &Matrix<'_>,
    bias: &[f32],
) -> Result<Option<Arc<dyn Decorator>>> {
    Ok(match matrix.ablation() {
        None => None,
        Some(Ablation::AutoPrecision(floats)) => {
            Some(Arc::new(AutoPrecision::new(Product::new(kernels, floats, bias)?)))
        }
        Some(Ablation::Repacked(floats)) => Some(Arc::new(Repacked::new(matrix, floats, bias))),
    })
}
