//! Attention with several heads: the projections, and the attention of a query over keys and values.

use dyno_formats::Result;
use dyno_formats::spec::TransformerSpec;
use dyno_kernels::{KeyValues, Mat, Precision};

use super::Process;
use crate::Scratch;
use crate::math::{Kernels, Linear};
use crate::params::Params;

/// The parameters of one attention sublayer.
pub struct Attention {
    pub(super) query: Linear,
    pub(super) key: Linear,
    pub(super) value: Linear,
    output: Option<Linear>,
    pub(super) before: Process,
    after: Process,
    pub(super) heads: usize,
    pub(super) width: usize,
    pub(super) kernels: Kernels,
    /// Precision of attention within long sentences.
    pub(super) within: Precision,
}

impl Attention {
    /// Reads the parameters that begin with `prefix`, such as `encoder_l1_self`, of an attention with
    /// `heads`.
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
            within: Precision::F32, // a translator's sentences are seldom so long that integers pay
        })
    }

    /// Attention by these products for queries, keys and values, and the one after it, with the operations
    /// `before` and `after`. Where the products are in int8, so is attention within long sentences.
    pub fn of(
        [query, key, value]: [Linear; 3],
        output: Linear,
        [before, after]: [Process; 2],
        heads: usize,
    ) -> Self {
        let (width, kernels) = (query.outputs(), query.kernels());
        let within = if query.reads_int8() { Precision::Int8 } else { Precision::F32 };
        Self { query, key, value, output: Some(output), before, after, heads, width, kernels, within }
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
    /// operations after it. The result replaces `out`.
    pub(super) fn end(&self, heads: &[f32], rows: &[f32], scratch: &mut Scratch, out: &mut Vec<f32>) {
        out.resize(rows.len(), 0.0);
        match &self.output {
            Some(output) => self.after.product(output, heads, rows, scratch, out),
            None => {
                out.copy_from_slice(heads);
                self.after.apply(out, rows, scratch);
            }
        }
    }

    /// As [`end`](Self::end), but the result replaces `rows`; the content of the buffer is unspecified.
    pub(super) fn finish(
        &self,
        heads: &[f32],
        rows: &mut Vec<f32>,
        buffer: &mut Vec<f32>,
        scratch: &mut Scratch,
    ) {
        self.end(heads, rows, scratch, buffer);
        std::mem::swap(rows, buffer);
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
