//! Products of a network, and the rows that they read.

use dyno_kernels::{
    Activation, Input, Kernels, Mat, MatMut, Output, Precision as KernelPrecision, Rows, RowsPart,
    Task as KernelTask, Weights,
};
use dyno_nn::watch::Operator;

use super::norm::Norm;
use super::team::{Team, Work};

/// Reason why calls of the kernels succeed.
const WHOLE: &str = "rows are whole, and as wide as the weights";

/// Columns of a panel, of which ranges of columns consist.
pub(super) const PANEL: usize = Weights::PANEL;

/// y = x·Wᵀ + b with packed weights.
#[derive(Debug)]
pub(crate) struct Linear(Weights);

/// A product with its result, among others that read the same rows.
pub(super) struct Task<'a> {
    pub(super) linear: &'a Linear,
    pub(super) activation: Activation,
    /// Summand [rows, outputs].
    pub(super) residual: Option<&'a [f32]>,
    /// Result [rows, outputs].
    pub(super) out: &'a mut [f32],
}

impl<'a> Task<'a> {
    /// A product and nothing else.
    pub(super) fn new(linear: &'a Linear, out: &'a mut [f32]) -> Self {
        Self { linear, activation: Activation::None, residual: None, out }
    }

    fn rows(&self) -> usize {
        self.out.len() / self.linear.outputs()
    }

    fn of_kernels(self) -> KernelTask<'a> {
        let (rows, columns, weights) = (self.rows(), self.linear.outputs(), &self.linear.0);
        let residual = self.residual.map(|residual| Mat::new(residual, rows, columns).expect(WHOLE));
        let out = MatMut::new(self.out, rows, columns).expect(WHOLE);
        KernelTask { weights, activation: self.activation, residual, out }
    }
}

impl Linear {
    pub(super) fn new(weights: Weights) -> Self {
        Self(weights)
    }

    pub(super) fn outputs(&self) -> usize {
        self.0.n()
    }

    /// Replaces `out` [rows, columns] by some columns of the product.
    pub(super) fn columns(&self, input: Input<'_>, columns: std::ops::Range<usize>, out: MatMut<'_, f32>) {
        self.0.multiply(input, columns, Activation::None, None, Output::F32(out)).expect(WHOLE);
    }

    /// Multiply-accumulates for a row.
    fn work(&self) -> usize {
        self.0.k() * self.0.n()
    }
}

/// Computes products that read the same rows; threads share their columns.
pub(super) fn multiply<const N: usize>(team: &mut Team, input: Input<'_>, tasks: [Task<'_>; N]) {
    let _product = Operator::Product.span();
    let work = Work::Products(tasks.iter().map(|task| task.rows() * task.linear.work()).sum());
    team.multiply(work, input, &mut tasks.map(Task::of_kernels));
}

/// A worker's buffer for the rows of a product.
#[derive(Debug)]
pub(super) struct Operand {
    kernels: Kernels,
    /// Quantised rows; `None` where products read f32.
    rows: Option<Rows>,
}

impl Operand {
    pub(super) fn new(kernels: Kernels, precision: KernelPrecision) -> Self {
        let quantised = precision != KernelPrecision::F32;
        Self { kernels, rows: quantised.then(|| kernels.rows(precision, 0, 0)) }
    }

    /// Normalises the rows of `x` [rows, width] in place, and gives them in the form that products read.
    pub(super) fn fill<'a>(
        &'a mut self,
        team: &mut Team,
        norm: Option<&Norm>,
        x: &'a mut [f32],
        width: usize,
    ) -> Input<'a> {
        let rows = x.len() / width;
        let Some(buffer) = &mut self.rows else {
            normalise(team, self.kernels, norm, x, width);
            return Input::f32(x, rows, width).expect(WHOLE);
        };
        buffer.reshape(KernelPrecision::Int8, rows, width);
        ready(team, self.kernels, norm, (x, width), Some(buffer.whole(rows).expect(WHOLE)));
        buffer.view()
    }
}

/// Normalises the rows of `x` [rows, width] in place, and quantises them where products read quantised rows.
pub(super) fn ready(
    team: &mut Team,
    kernels: Kernels,
    norm: Option<&Norm>,
    (x, width): (&mut [f32], usize),
    quantised: Option<RowsPart<'_>>,
) {
    let Some(quantised) = quantised else { return normalise(team, kernels, norm, x, width) };
    let work = Work::Values(x.len());
    let rows = (x.len() / width).div_ceil(team.sharing(work)).max(1);
    let parts = quantised.chunks(rows).zip(x.chunks_mut(rows * width));
    team.each(work, &mut parts.collect::<Vec<_>>(), |(part, x)| {
        if let Some(norm) = norm {
            let _norm = Operator::Norm.span();
            norm.apply(kernels, x);
        }
        let _quantise = Operator::Quantise.span();
        part.quantise(x).expect(WHOLE);
    });
}

/// Normalises the rows of `x` [rows, width] in place.
pub(super) fn normalise(team: &mut Team, kernels: Kernels, norm: Option<&Norm>, x: &mut [f32], width: usize) {
    let Some(norm) = norm else { return };
    let _norm = Operator::Norm.span();
    let work = Work::Values(x.len());
    let rows = (x.len() / width).div_ceil(team.sharing(work)).max(1);
    team.each(work, &mut x.chunks_mut(rows * width).collect::<Vec<_>>(), |x| norm.apply(kernels, x));
}
