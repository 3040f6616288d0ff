//! Products of a network, and the rows that they read.

use dyno_kernels::{
    Activation, Input, Kernels, Mat, MatMut, Output, Precision as KernelPrecision, Rows, Weights,
};
use dyno_nn::watch::Operator;

use super::norm::Norm;
use super::team::{Team, Work};

/// Reason why calls of the kernels succeed.
const WHOLE: &str = "rows are whole, and as wide as the weights";

/// y = x·Wᵀ + b with packed weights.
#[derive(Debug)]
pub(crate) struct Linear(Weights);

/// A product with its result, among others that read the same rows.
pub(super) struct Task<'a> {
    pub(super) linear: &'a Linear,
    pub(super) activation: Activation,
    /// Summand [rows, outputs].
    pub(super) residual: Option<&'a [f32]>,
    pub(super) out: &'a mut Vec<f32>,
}

impl<'a> Task<'a> {
    /// A product and nothing else.
    pub(super) fn new(linear: &'a Linear, out: &'a mut Vec<f32>) -> Self {
        Self { linear, activation: Activation::None, residual: None, out }
    }
}

/// A thread's share of a task.
struct Share<'a> {
    weights: &'a Weights,
    columns: std::ops::Range<usize>,
    activation: Activation,
    residual: Option<Mat<'a>>,
    out: MatMut<'a, f32>,
}

impl Linear {
    pub(super) fn new(weights: Weights) -> Self {
        Self(weights)
    }

    pub(super) fn outputs(&self) -> usize {
        self.0.n()
    }

    /// Multiply-accumulates for a row.
    fn work(&self) -> usize {
        self.0.k() * self.0.n()
    }
}

/// Computes products that read the same rows; threads share their columns.
pub(super) fn multiply<const N: usize>(team: &mut Team, input: Input<'_>, rows: usize, tasks: [Task<'_>; N]) {
    let _product = Operator::Product.span();
    let work = Work::Products(tasks.iter().map(|task| rows * task.linear.work()).sum());
    let threads = team.sharing(work);
    let mut shares = Vec::with_capacity(N * threads);
    for task in tasks {
        divide(task, rows, threads, &mut shares);
    }
    team.each(work, &mut shares, |share| {
        let (columns, output) = (share.columns.clone(), Output::F32(share.out.view()));
        let done = share.weights.multiply(input, columns, share.activation, share.residual, output);
        done.expect(WHOLE);
    });
}

/// Adds the shares of a task.
fn divide<'a>(task: Task<'a>, rows: usize, threads: usize, shares: &mut Vec<Share<'a>>) {
    let (weights, columns) = (&task.linear.0, task.linear.outputs());
    task.out.resize(rows * columns, 0.0);
    let residual = task.residual.map(|residual| Mat::new(residual, rows, columns).expect(WHOLE));
    let mut rest = MatMut::new(task.out, rows, columns).expect(WHOLE);
    for thread in 0..threads {
        let range = weights.share(thread, threads);
        let (out, others) = rest.split_columns(range.len());
        rest = others;
        let residual = residual.map(|residual| residual.columns(range.clone()).expect(WHOLE));
        shares.push(Share { weights, columns: range, activation: task.activation, residual, out });
    }
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
        let work = Work::Values(x.len());
        let Some(buffer) = &mut self.rows else {
            normalise(team, self.kernels, norm, x, width);
            return Input::f32(x, rows, width).expect(WHOLE);
        };
        let kernels = self.kernels;
        buffer.reshape(KernelPrecision::Int8, rows, width);
        let mut rest = &mut *x;
        let parts = buffer.parts(rows, team.sharing(work)).expect(WHOLE).map(|part| {
            let (these, others) = std::mem::take(&mut rest).split_at_mut(part.range().len() * width);
            rest = others;
            (part, these)
        });
        team.each(work, &mut parts.collect::<Vec<_>>(), |(part, x)| {
            if let Some(norm) = norm {
                let _norm = Operator::Norm.span();
                norm.apply(kernels, x);
            }
            let _quantise = Operator::Quantise.span();
            part.quantise(x).expect(WHOLE);
        });
        buffer.view()
    }
}

/// Normalises the rows of `x` [rows, width] in place.
pub(super) fn normalise(team: &mut Team, kernels: Kernels, norm: Option<&Norm>, x: &mut [f32], width: usize) {
    let Some(norm) = norm else { return };
    let _norm = Operator::Norm.span();
    let work = Work::Values(x.len());
    let rows = (x.len() / width).div_ceil(team.sharing(work)).max(1);
    team.each(work, &mut x.chunks_mut(rows * width).collect::<Vec<_>>(), |x| norm.apply(kernels, x));
}
