//! Packed weights: f32 products go to the library, by the plain form, and all others to the kernels.

use std::cell::RefCell;
use std::ops::Range;

use crate::library::{Library, chosen};
use crate::{Activation, Best, Error, Input, Mat, Output, Plain, Precision, Result, adaptive};

/// Packed weights, and for f32 their plain form.
#[derive(Clone, Debug)]
pub struct Weights {
    pub(crate) kernels: kernels::Kernels,
    pub(crate) ours: kernels::Weights,
    /// f32 values [K, N].
    pub(crate) plain: Vec<f32>,
    /// The other plain form, if products take the faster one.
    pub(crate) other: Vec<f32>,
    /// Whether the plain values lie as [N, K] instead.
    pub(crate) transposed: bool,
    /// Library that multiplies f32.
    pub(crate) library: &'static Library,
    /// Scales of f32 columns, [N].
    pub(crate) scales: Vec<f32>,
    /// Bias of f32 columns, [N].
    pub(crate) bias: Vec<f32>,
}

impl Weights {
    /// As in `dyno-kernels`.
    pub const PANEL: usize = kernels::Weights::PANEL;

    /// Weights that the kernels multiply, or f32 weights whose plain form follows.
    pub(crate) fn of_ours(kernels: kernels::Kernels, ours: kernels::Weights) -> Self {
        let [plain, other, scales, bias] = Default::default();
        Self { kernels, ours, plain, other, transposed: false, library: chosen(), scales, bias }
    }

    pub(crate) fn is_f32(&self) -> bool {
        self.ours.precision() == Precision::F32
    }

    /// As in `dyno-kernels`.
    pub fn with_scales(mut self, scales: &[f32]) -> Result<Self> {
        self.ours = self.ours.with_scales(scales)?;
        if self.is_f32() {
            let n = self.ours.n();
            self.scales = if let [all] = scales { vec![*all; n] } else { scales.to_vec() };
        }
        Ok(self)
    }

    /// As in `dyno-kernels`.
    pub fn with_bias(mut self, bias: &[f32]) -> Result<Self> {
        self.ours = self.ours.with_bias(bias)?;
        if self.is_f32() {
            self.bias = bias.to_vec();
        }
        Ok(self)
    }

    /// Number of inputs.
    pub fn k(&self) -> usize {
        self.ours.k()
    }

    /// Number of outputs.
    pub fn n(&self) -> usize {
        self.ours.n()
    }

    /// As in `dyno-kernels`.
    pub fn bytes(&self) -> usize {
        self.ours.bytes()
    }

    /// As in `dyno-kernels`.
    pub fn share(&self, thread: usize, of: usize) -> Range<usize> {
        self.ours.share(thread, of)
    }

    /// Precision of the values.
    pub fn precision(&self) -> Precision {
        self.ours.precision()
    }

    /// As in `dyno-kernels`, with f32 products by the library unless they are requantised, or the best of some columns.
    pub fn multiply(
        &self,
        a: Input<'_>,
        columns: Range<usize>,
        activation: Activation,
        residual: Option<Mat<'_>>,
        output: Output<'_>,
    ) -> Result<()> {
        let fits = match output {
            Output::F32(_) => columns.end <= self.n(),
            Output::Best { .. } => columns == (0..self.n()),
            Output::Int8 { .. } => false,
        };
        if !(self.is_f32() && fits) {
            return self.ours.multiply(a, columns, activation, residual, output);
        }
        thread_local!(static BUFFERS: RefCell<[Vec<f32>; 2]> = const { RefCell::new([const { Vec::new() }; 2]) });
        BUFFERS.with_borrow_mut(|[values, sums]| {
            a.copy_f32(values)?;
            let (k, n) = (self.k(), columns.len());
            let m = values.len().checked_div(k).unwrap_or(0);
            if values.len() != m * k {
                return Err(Error::Shape { what: "inputs of a row", expected: m * k, found: values.len() });
            }
            sums.resize(m * n, 0.0);
            self.sum(m, values, &columns, sums);
            self.follow(sums, columns, activation, residual, output);
            Ok(())
        })
    }

    /// Sums [m, columns] by the library, from the plain form, or from the faster one.
    fn sum(&self, m: usize, values: &[f32], columns: &Range<usize>, sums: &mut [f32]) {
        let shape = [m, self.k(), columns.len()];
        let by = |is_other: bool, sums: &mut [f32]| {
            self.library.multiply(shape, values, self.plain_columns(is_other, columns), sums);
        };
        let is_other = !self.other.is_empty() && {
            let library = std::ptr::from_ref(self.library).addr();
            let is_other = |transposed: bool| transposed != self.transposed;
            let multiply = |transposed| by(is_other(transposed), &mut *sums);
            is_other(adaptive::takes_transposed(library, shape, multiply))
        };
        by(is_other, sums);
    }

    /// Some columns of the plain form, or of the other one.
    fn plain_columns(&self, is_other: bool, columns: &Range<usize>) -> Plain<'_> {
        let (k, n, values) = (self.k(), self.n(), if is_other { &self.other } else { &self.plain });
        match self.transposed != is_other {
            true => Plain { values: &values[columns.start * k..columns.end * k], row: 1, column: k },
            false => Plain { values: values.get(columns.start..).unwrap_or_default(), row: n, column: 1 },
        }
    }

    /// Does what follows the sums [rows, columns], and writes the results.
    fn follow(
        &self,
        sums: &mut [f32],
        columns: Range<usize>,
        activation: Activation,
        residual: Option<Mat<'_>>,
        mut output: Output<'_>,
    ) {
        let (scales, bias) = (&self.scales[columns.clone()], &self.bias[columns.clone()]);
        for (row, sums) in sums.chunks_exact_mut(columns.len().max(1)).enumerate() {
            for ((sum, scale), bias) in sums.iter_mut().zip(scales).zip(bias) {
                *sum = *sum * scale + bias;
            }
            if activation != Activation::None {
                self.kernels.activate(activation, sums);
            }
            if let Some(residual) = &residual {
                sums.iter_mut().zip(residual.row(row)).for_each(|(sum, other)| *sum += other);
            }
            match &mut output {
                Output::F32(out) => out.row_mut(row).copy_from_slice(sums),
                Output::Best { best, mask } => {
                    let allowed = |column: usize| mask.is_none_or(|mask| mask.allows(row, column));
                    for (column, &value) in sums.iter().enumerate().filter(|(column, _)| allowed(*column)) {
                        if value > best[row].value {
                            best[row] = Best { value, column };
                        }
                    }
                }
                Output::Int8 { .. } => unreachable!("the kernels requantise"),
            }
        }
    }
}
