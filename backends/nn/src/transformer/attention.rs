//! Attention with several heads: the projections, and what one query makes of keys and values.

use dyno_formats::Result;

use super::{Options, Process, Scratch};
use crate::math::{Kernels, Linear, dot, softmax};
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
    kernels: Kernels,
}

impl Attention {
    /// Reads the parameters that begin with `prefix`, such as `encoder_l1_self`.
    ///
    /// # Errors
    /// When one is missing, or has another shape.
    pub fn new(params: Params<'_>, options: &Options, prefix: &str) -> Result<Self> {
        let width = options.width;
        let dense = |suffix: &str| params.dense(prefix, suffix, width, width);
        let around = format!("{prefix}_Wo");
        Ok(Self {
            query: dense("q")?,
            key: dense("k")?,
            value: dense("v")?,
            output: options.projection.then(|| dense("o")).transpose()?,
            before: Process::before(params, &options.before, &around, width)?,
            after: Process::after(params, &options.after, &around, width)?,
            heads: options.heads,
            kernels: params.kernels(),
        })
    }

    /// One query [D] over keys and values [words, D]: into `out` [D] goes what the heads found, side by side.
    pub(super) fn attend(
        &self,
        query: &[f32],
        keys: &[f32],
        values: &[f32],
        out: &mut [f32],
        weights: &mut Vec<f32>,
    ) {
        weights.resize(keys.len() / query.len(), 0.0);
        let found = self.kernels.attend(query, keys, values, self.heads, weights, out);
        found.expect("as many keys as values, and heads divide their width");
    }

    /// The weights of the first head, which may serve as an alignment: `weights` has one for each key.
    pub(super) fn align(&self, query: &[f32], keys: &[f32], weights: &mut [f32]) {
        let (width, head) = (query.len(), query.len() / self.heads);
        let scale = 1.0 / (head as f32).sqrt();
        for (weight, key) in weights.iter_mut().zip(keys.chunks_exact(width)) {
            *weight = dot(&query[..head], &key[..head]) * scale;
        }
        softmax(weights);
    }

    /// What ends the sublayer whose input was `rows`: projection of what the `heads` found, and the operations after
    /// it. Replaces `rows`; the buffers are left as they may be.
    pub(super) fn finish(
        &self,
        heads: &mut Vec<f32>,
        rows: &mut Vec<f32>,
        out: &mut Vec<f32>,
        scratch: &mut Scratch,
    ) {
        match &self.output {
            Some(output) => output.apply(heads, &mut scratch.operands, out),
            None => std::mem::swap(heads, out),
        }
        self.after.apply(out, rows, scratch);
        std::mem::swap(rows, out);
    }
}

/// Buffers of an attention sublayer.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    pub(super) query: Vec<f32>,
    pub(super) keys: Vec<f32>,
    pub(super) values: Vec<f32>,
    pub(super) heads: Vec<f32>,
    pub(super) out: Vec<f32>,
    /// Of one query.
    pub(super) weights: Vec<f32>,
}
