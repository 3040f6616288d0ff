//! Operations before and after sublayers, with their parameters.

use dyno_formats::Result;
use dyno_formats::spec::{self, ChainSpec};

use crate::Scratch;
use crate::math::{Activation, Epilogue, Kernels, Linear, Norm, Threads};
use crate::params::Params;
use crate::watch::Operator;

enum Operation {
    Norm(Norm),
    Add,
    /// A highway: its linear layer gates between the sublayer's output and its input.
    Highway(Linear),
}

/// A chain of operations, in order.
pub struct Process {
    operations: Vec<Operation>,
    kernels: Kernels,
}

impl Process {
    /// The operations of `chain` on rows of `width`. The names of their parameters begin with `prefix`, and
    /// those of norms end with `suffix`.
    ///
    /// # Errors
    /// When a parameter is missing or has another shape.
    pub fn new(
        params: Params<'_>,
        chain: &ChainSpec,
        prefix: &str,
        suffix: &str,
        width: usize,
    ) -> Result<Self> {
        let norm = |part: &str| params.vector(&format!("{prefix}_{part}{suffix}"), width);
        let read = |operation: &spec::Operation| {
            Ok(match operation {
                spec::Operation::LayerNorm => {
                    let (scale, bias) = (norm("ln_scale")?, norm("ln_bias")?);
                    Operation::Norm(Norm::new(params.kernels(), scale, bias, chain.epsilon))
                }
                spec::Operation::RmsNorm => {
                    let scale = norm("rms_scale")?;
                    Operation::Norm(Norm::root_mean_square(params.kernels(), scale, chain.epsilon))
                }
                spec::Operation::Add => Operation::Add,
                spec::Operation::Highway => Operation::Highway(params.dense(prefix, "h", width, width)?),
            })
        };
        let operations = chain.operations.iter().map(read).collect::<Result<_>>()?;
        Ok(Self { operations, kernels: params.kernels() })
    }

    /// The sum with the sublayer's input if the chain `adds`, and a norm if there is one.
    pub fn of(kernels: Kernels, adds: bool, norm: Option<Norm>) -> Self {
        let norm = norm.map(Operation::Norm);
        Self { operations: adds.then_some(Operation::Add).into_iter().chain(norm).collect(), kernels }
    }

    /// The operations before a sublayer, whose names end in `_pre`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn before(params: Params<'_>, chain: &ChainSpec, prefix: &str, width: usize) -> Result<Self> {
        Self::new(params, chain, prefix, "_pre", width)
    }

    /// The operations after a sublayer.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn after(params: Params<'_>, chain: &ChainSpec, prefix: &str, width: usize) -> Result<Self> {
        Self::new(params, chain, prefix, "", width)
    }

    /// Whether the chain has no operation.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Applies the chain before a sublayer: gives the result in `to`, or `rows` themselves for an empty
    /// chain.
    pub fn prepare<'a>(&self, rows: &'a [f32], to: &'a mut Vec<f32>, threads: &mut Threads) -> &'a [f32] {
        if self.is_empty() {
            return rows;
        }
        to.clear();
        to.extend_from_slice(rows);
        self.norms(to, threads);
        to
    }

    /// Applies the norms of the chain. Chains before sublayers and after embeddings have norms only.
    pub fn norms(&self, rows: &mut [f32], threads: &mut Threads) {
        for operation in &self.operations {
            if let Operation::Norm(norm) = operation {
                norm.apply(rows, threads);
            }
        }
    }

    /// Ends a sublayer with the input `input` by a product and the chain: replaces `out` [n, width] by the
    /// result for `linear` of `x`. The product's epilogue adds the sublayer's input.
    pub fn product(&self, linear: &Linear, x: &[f32], input: &[f32], scratch: &mut Scratch, out: &mut [f32]) {
        let (residual, rest) = match &self.operations[..] {
            [Operation::Add, rest @ ..] => (Some(input), rest),
            all => (None, all),
        };
        linear.apply_to(x, &mut scratch.operands, Epilogue { activation: Activation::None, residual }, out);
        self.chain(rest, out, input, scratch);
    }

    /// Replaces `input` by a copy of `rows`, if the chain reads the input of what it ends.
    pub(super) fn keep_input(&self, rows: &[f32], input: &mut Vec<f32>) {
        input.clear();
        if self.reads_input() {
            input.extend_from_slice(rows);
        }
    }

    /// Whether the chain reads the input of what it ends.
    pub(super) fn reads_input(&self) -> bool {
        self.operations.iter().any(|operation| matches!(operation, Operation::Add | Operation::Highway(_)))
    }

    /// Applies the chain to `rows`, the output of a sublayer whose input was `input`; both [n, width].
    pub fn apply(&self, rows: &mut [f32], input: &[f32], scratch: &mut Scratch) {
        self.chain(&self.operations, rows, input, scratch);
    }

    fn chain(&self, operations: &[Operation], rows: &mut [f32], input: &[f32], scratch: &mut Scratch) {
        for operation in operations {
            match operation {
                Operation::Add => self.kernels.add(rows, input).expect(WIDE),
                Operation::Highway(linear) => {
                    linear.apply(input, &mut scratch.operands, &mut scratch.gates);
                    let _gate = Operator::Activation.span();
                    self.kernels.highway(input, &scratch.gates, rows).expect(WIDE);
                }
                Operation::Norm(norm) => norm.apply(rows, &mut scratch.operands.threads),
            }
        }
    }
}

/// Reason why calls of the kernels succeed.
const WIDE: &str = "rows are of the width of the model";
