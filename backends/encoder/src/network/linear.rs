//! Products of a network, and the rows that they read.

use dyno_kernels::{
    Activation, Input, Kernels, Mat, MatMut, Output, Precision as KernelPrecision, Rows, RowsPart, Weights,
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
    let threads = team.sharing(work);
    let mut shares = Vec::with_capacity(N * threads);
    for task in tasks {
        divide(task, threads, &mut shares);
    }
    team.each(work, &mut shares, |share| {
        let (columns, output) = (share.columns.clone(), Output::F32(share.out.view()));
        let done = share.weights.multiply(input, columns, share.activation, share.residual, output);
        done.expect(WHOLE);
    });
}

/// Adds the shares of a task.
fn divide<'a>(task: Task<'a>, threads: usize, shares: &mut Vec<Share<'a>>) {
    let (rows, weights, columns) = (task.rows(), &task.linear.0, task.linear.outputs());
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
