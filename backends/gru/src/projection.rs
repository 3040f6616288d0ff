//! A product with its bias and its norm, in the three orders that Marian has for them.

use dyno_formats::Result;
use dyno_nn::math::{Linear, add, layer_norm};

use crate::names::Names;
use crate::options::NormStyle;

/// Of norms with a scale (Marian's `layer_norm` of `src/graph/expression_operators.h`).
const GAMMA_EPSILON: f32 = 1e-9;
/// Of norms as in Nematus (`NEMATUS_LN_EPS` of `src/layers/constructors.h`).
const NEMATUS_EPSILON: f32 = 1e-5;

/// y = norm(x·W + b) + b', each part but the product optional.
#[derive(Debug)]
pub(crate) struct Projection {
    linear: Linear,
    norm: Option<Norm>,
    /// [outputs], or empty.
    after: Vec<f32>,
}

#[derive(Debug)]
struct Norm {
    /// [outputs].
    scale: Vec<f32>,
    /// [outputs], or empty.
    bias: Vec<f32>,
    epsilon: f32,
}

/// The tensors of a dense layer.
pub(crate) struct Dense<'a> {
    pub(crate) weights: &'a str,
    pub(crate) bias: &'a str,
    /// Scale of the norm with a scale alone.
    pub(crate) gamma: &'a str,
    /// Scale and bias of Nematus' norm.
    pub(crate) nematus: [&'a str; 2],
}

impl Projection {
    /// x·W + b, of `weights` [inputs, outputs]; an empty bias is none.
    pub(crate) fn new(weights: Vec<f32>, bias: Vec<f32>, outputs: usize) -> Self {
        let inputs = weights.len() / outputs;
        Self { linear: Linear::new(weights, bias, inputs, outputs), norm: None, after: Vec::new() }
    }

    /// Followed by a norm with a scale; an empty bias is none.
    pub(crate) fn scaled(mut self, scale: Vec<f32>, bias: Vec<f32>) -> Self {
        self.norm = Some(Norm { scale, bias, epsilon: GAMMA_EPSILON });
        self
    }

    /// Followed by Nematus' norm.
    pub(crate) fn normalised(mut self, scale: Vec<f32>, bias: Vec<f32>) -> Self {
        self.norm = Some(Norm { scale, bias, epsilon: NEMATUS_EPSILON });
        self
    }

    /// Followed by one more bias.
    pub(crate) fn shifted(mut self, bias: Vec<f32>) -> Self {
        self.after = bias;
        self
    }

    /// A dense layer outside of cells: its bias comes after the norm, or before it as in Nematus.
    pub(crate) fn dense(
        names: Names<'_>,
        style: NormStyle,
        dense: &Dense<'_>,
        inputs: usize,
        outputs: usize,
    ) -> Result<Self> {
        let weights = names.matrix(dense.weights, inputs, outputs)?;
        let bias = names.vector(dense.bias, outputs)?;
        Ok(match style {
            NormStyle::None => Self::new(weights, bias, outputs),
            NormStyle::Gamma => {
                Self::new(weights, Vec::new(), outputs).scaled(names.vector(dense.gamma, outputs)?, bias)
            }
            NormStyle::Nematus => {
                let [scale, shift] = dense.nematus;
                let (scale, shift) = (names.vector(scale, outputs)?, names.vector(shift, outputs)?);
                Self::new(weights, bias, outputs).normalised(scale, shift)
            }
        })
    }

    /// Width of y.
    pub(crate) fn outputs(&self) -> usize {
        self.linear.outputs()
    }

    /// Replaces `out` by y for each row of `input` [rows, inputs].
    pub(crate) fn apply(&self, input: &[f32], out: &mut Vec<f32>) {
        self.linear.apply(input, out);
        for row in out.chunks_exact_mut(self.linear.outputs()) {
            if let Some(norm) = &self.norm {
                layer_norm(row, &norm.scale, &norm.bias, norm.epsilon);
            }
            add(row, &self.after);
        }
    }
}
