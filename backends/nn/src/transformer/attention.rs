//! Attention with several heads: the projections, and the attention of a query over keys and values.

use dyno_formats::Result;
use dyno_formats::spec::TransformerSpec;
use dyno_kernels::{KeyValues, Mat};

use super::{Process, Scratch};
use crate::math::{Kernels, Linear};
use crate::params::Params;

/// The parameters of one attention sublayer.
pub struct Attention {
    pub(super) query: Linear,
    pub(super) key: Linear,
    pub(super) value: Linear,
    output: Option<Linear>,
    pub(super) before: Process,
    pub(super) after: Process,
    heads: usize,
    pub(super) width: usize,
    kernels: Kernels,
}

impl Attention {
    /// Reads the parameters that begin with `prefix`, such as `encoder_l1_self`, of an attention with `heads`.
    ///
    /// # Errors
    /// When a parameter is missing or has another shape.
    pub fn new(params: Params<'_>, spec: &TransformerSpec, heads: usize, prefix: &str) -> Result<Self> {
        let width = spec.width;
        let dense = |suffix: &str| params.dense(prefix, suffix, width, width);
        let around = format!("{prefix}_Wo");
        Ok(Self {
            query: dense("q")?,
            key: dense("k")?,
            value: dense("v")?,
            output: spec.projection.then(|| dense("o")).transpose()?,
            before: Process::before(params, &spec.before, &around, width)?,
            after: Process::after(params, &spec.after, &around, width)?,
            heads,
            width,
            kernels: params.kernels(),
        })
    }

    /// Attends with queries [rows, D]; `out` [rows, D] receives the results of the heads, side by side.
    /// `weights` is left with the weights of the last row, the first head's first.
    pub(super) fn attend(
        &self,
        queries: &[f32],
        attended: &KeyValues,
        out: &mut [f32],
        weights: &mut Vec<f32>,
    ) {
        let queries = Mat::new(queries, queries.len() / self.width, self.width).expect(WIDE);
        self.kernels.attend(queries, attended, self.heads, weights, out).expect(WIDE);
    }

    /// Replaces `attended` by keys and values [words, D].
    pub(super) fn remember(&self, keys: &[f32], values: &[f32], attended: &mut KeyValues) {
        self.kernels.remember(attended, keys, values).expect(WIDE);
    }

    /// Ends the sublayer with the input `rows`: projects the results of the `heads` and applies the
    /// operations after it. The result replaces `rows`; the content of the buffers is unspecified.
    pub(super) fn finish(
        &self,
        heads: &mut Vec<f32>,
        rows: &mut Vec<f32>,
        out: &mut Vec<f32>,
        scratch: &mut Scratch,
    ) {
        match &self.output {
            Some(output) => {
                out.resize(rows.len(), 0.0);
                self.after.product(output, heads, rows, scratch, out);
            }
            None => {
                std::mem::swap(heads, out);
                self.after.apply(out, rows, scratch);
            }
        }
        std::mem::swap(rows, out);
    }
}

/// Reason why calls of the kernels succeed.
const WIDE: &str = "rows are as wide as the model, which the heads divide";

/// Buffers of an attention sublayer.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    pub(super) query: Vec<f32>,
    pub(super) keys: Vec<f32>,
    pub(super) values: Vec<f32>,
    pub(super) heads: Vec<f32>,
    pub(super) out: Vec<f32>,
    /// Attention weights of one query.
    pub(super) weights: Vec<f32>,
}
