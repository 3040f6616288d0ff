//! A product with its bias and its norm, in Marian's three orders.

use dyno_formats::Result;
use dyno_formats::spec::NormStyle;
use dyno_nn::math::{Linear, Operands, together};
use dyno_nn::watch::Operator;

use crate::names::Names;

/// Epsilon of norms with a scale (Marian's `layer_norm` of `src/graph/expression_operators.h`).
const GAMMA_EPSILON: f32 = 1e-9;
/// Epsilon of Nematus' norms (`NEMATUS_LN_EPS` of `src/layers/constructors.h`).
const NEMATUS_EPSILON: f32 = 1e-5;

/// y = norm(x·W + b) + b'; all parts but the product are optional.
#[derive(Debug)]
pub(crate) struct Projection {
    linear: Linear,
    norm: Option<Norm>,
    /// Bias after the norm, `[outputs]`, or empty.
    after: Vec<f32>,
}

#[derive(Debug)]
struct Norm {
    /// Scale of the norm, `[outputs]`.
    scale: Vec<f32>,
    /// Bias of the norm, `[outputs]`.
    bias: Vec<f32>,
    epsilon: f32,
}

/// Names of a dense layer's tensors.
pub(crate) struct Dense<'a> {
    pub(crate) weights: &'a str,
    pub(crate) bias: &'a str,
    /// Scale of a norm that has a scale only.
    pub(crate) gamma: &'a str,
    /// Scale and bias of Nematus' norm.
    pub(crate) nematus: [&'a str; 2],
}

impl Projection {
    /// The product alone: x·W + b.
    pub(crate) fn new(linear: Linear) -> Self {
        Self { linear, norm: None, after: Vec::new() }
    }

    /// Whether the product rounds what it reads to 8 bits.
    pub(crate) fn reads_int8(&self) -> bool {
        self.linear.reads_int8()
    }

    /// The same with a norm that has a scale; an empty bias is none.
    pub(crate) fn scaled(mut self, scale: Vec<f32>, mut bias: Vec<f32>) -> Self {
        bias.resize(scale.len(), 0.0);
        self.norm = Some(Norm { scale, bias, epsilon: GAMMA_EPSILON });
        self
    }

    /// The same with Nematus' norm.
    pub(crate) fn normalised(mut self, scale: Vec<f32>, bias: Vec<f32>) -> Self {
        self.norm = Some(Norm { scale, bias, epsilon: NEMATUS_EPSILON });
        self
    }

    /// The same with a further bias after its norm.
    pub(crate) fn shifted(mut self, bias: Vec<f32>) -> Self {
        self.after = bias;
        self
    }

    /// A dense layer outside of cells: its bias follows the norm, or precedes it as in Nematus.
    pub(crate) fn dense(
        names: Names<'_>,
        style: NormStyle,
        dense: &Dense<'_>,
        inputs: usize,
        outputs: usize,
    ) -> Result<Self> {
        let weights = names.product(dense.weights, inputs, outputs)?;
        let product = |bias: &[f32]| names.pack(&weights, bias, dense.weights).map(Self::new);
        let bias = names.vector(dense.bias, outputs)?;
        Ok(match style {
            NormStyle::None => product(&bias)?,
            NormStyle::Gamma => product(&[])?.scaled(names.vector(dense.gamma, outputs)?, bias),
            NormStyle::Nematus => {
                let [scale, shift] = dense.nematus;
                let (scale, shift) = (names.vector(scale, outputs)?, names.vector(shift, outputs)?);
                product(&bias)?.normalised(scale, shift)
            }
        })
    }

    /// Width of y.
    pub(crate) fn outputs(&self) -> usize {
        self.linear.outputs()
    }

    /// Replaces `out` by y for each row of `input` [rows, inputs].
    pub(crate) fn apply(&self, input: &[f32], operands: &mut Operands, out: &mut Vec<f32>) {
        self.multiply(input, operands, out);
        self.finish(out);
    }

    /// Replaces `out` by the product alone for each row of `input` [rows, inputs].
    pub(crate) fn multiply(&self, input: &[f32], operands: &mut Operands, out: &mut Vec<f32>) {
        self.linear.apply(input, operands, out);
    }

    /// As [`multiply`](Self::multiply) for several projections of the same input, which is quantised once.
    pub(crate) fn multiply_all<const N: usize>(
        input: &[f32],
        operands: &mut Operands,
        all: [(&Self, &mut Vec<f32>); N],
    ) {
        together(input, operands, all.map(|(projection, out)| (&projection.linear, out)));
    }

    /// Applies two projections to the same input, which is quantised once; each replaces its `Vec` by its y.
    pub(crate) fn apply_both(input: &[f32], operands: &mut Operands, both: [(&Self, &mut Vec<f32>); 2]) {
        let [(one, out), (other, other_out)] = both;
        Self::multiply_all(input, operands, [(one, &mut *out), (other, &mut *other_out)]);
        one.finish(out);
        other.finish(other_out);
    }

    /// Applies the operations after the product, to each of its rows.
    pub(crate) fn finish(&self, out: &mut [f32]) {
        let Some(norm) = &self.norm else { return };
        let _norm = Operator::Norm.span();
        let kernels = self.linear.kernels();
        kernels.layer_norm(out, &norm.scale, &norm.bias, norm.epsilon).expect("norms of the product's width");
        if !self.after.is_empty() {
            for row in out.chunks_exact_mut(self.linear.outputs()) {
                kernels.add(row, &self.after).expect("a bias of the product's width");
            }
        }
    }
}
