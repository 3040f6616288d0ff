//! Products of f32 by somebody else's library: the baseline that papers compare with. Behind a feature that
//! nothing of dyno's own turns on.
//!
//! Weights keep a second, plain form [K, N], which the library reads on each call, packing whatever it packs
//! anew; what follows the sums is done apart. Everything else of an engine stays as it is, so that a baseline
//! differs in its products alone.

use super::job::{Activation, Job, Sink};
use super::weights::Weights;
use crate::lanes::LANES;
use crate::{Best, Precision};
use std::cell::RefCell;
use std::sync::OnceLock;

/// C [m, n] = A [m, k] · B [k, n], all row-major and without gaps; `shape` is [m, k, n].
pub type Product = fn(shape: [usize; 3], a: &[f32], b: &[f32], c: &mut [f32]);

static PRODUCT: OnceLock<Product> = OnceLock::new();

/// From now on f32 weights that are packed are multiplied by `product`; the first call holds.
pub fn multiply_f32_by(product: Product) {
    PRODUCT.get_or_init(|| product);
}

impl Weights {
    /// Makes the plain form [K, N] of its blocks, if a library is to read it.
    pub(crate) fn keep_plain(&mut self) {
        if self.precision != Precision::F32 || PRODUCT.get().is_none() {
            return;
        }
        let (k, n) = (self.k, self.n);
        let mut plain = std::mem::take(&mut self.plain);
        plain.resize(k * n, 0.0);
        for column in (0..n).step_by(LANES) {
            let (first, step) = self.vector(column);
            let width = LANES.min(n - column);
            for (block, row) in self.blocks[first..].iter().step_by(step).zip(plain.chunks_exact_mut(n)) {
                for (value, bytes) in row[column..][..width].iter_mut().zip(block.0.as_chunks().0) {
                    *value = f32::from_le_bytes(*bytes);
                }
            }
        }
        self.plain = plain;
    }

    /// Does `job` by the library; `false` where it isn't one for it: integers, or some of the columns.
    pub(super) fn by_library(&self, job: &mut Job<'_>) -> bool {
        let Some(product) = PRODUCT.get().filter(|_| self.precision == Precision::F32) else { return false };
        let whole =
            job.columns == (0..self.n) && job.stride == 4 * self.k && self.plain.len() == self.k * self.n;
        if !whole || matches!(job.sink, Sink::Int8 { .. }) {
            return false;
        }
        thread_local!(static SUMS: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) });
        SUMS.with_borrow_mut(|sums| {
            sums.resize(job.rows * self.n, 0.0);
            // SAFETY: f32 activations are a slice of f32 seen as bytes, of just these rows.
            let a = unsafe { std::slice::from_raw_parts(job.a.as_ptr().cast(), job.rows * self.k) };
            product([job.rows, self.k, self.n], a, &self.plain, sums);
            sums.chunks_exact_mut(self.n.max(1))
                .enumerate()
                .for_each(|(row, sums)| self.follow(job, row, sums));
        });
        true
    }

    /// What follows the sums of a row.
    fn follow(&self, job: &mut Job<'_>, row: usize, sums: &mut [f32]) {
        for ((sum, scale), bias) in sums.iter_mut().zip(job.scales).zip(job.bias) {
            *sum = *sum * scale + bias;
        }
        if job.activation != Activation::None {
            self.kernels.activate(job.activation, sums);
        }
        if let Some(residual) = &job.residual {
            sums.iter_mut().zip(residual.row(row)).for_each(|(sum, other)| *sum += other);
        }
        match &mut job.sink {
            Sink::F32(out) => out.part(row, 0, sums.len()).copy_from_slice(sums),
            Sink::Best { best, mask } => {
                let may = |column: usize| mask.is_none_or(|mask| mask.sixteen(row, column) & 1 == 1);
                for (column, &value) in sums.iter().enumerate().filter(|(column, _)| may(*column)) {
                    if value > best[row].value {
                        best[row] = Best { value, column };
                    }
                }
            }
            Sink::Int8 { .. } => unreachable!("refused above"),
        }
    }
}
