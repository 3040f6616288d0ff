//! Attention with several heads: the projections, and what one query makes of keys and values.

use dyno_formats::Result;

use super::{Options, Process};
use crate::math::{Linear, dot, multiply_add, softmax};
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
        })
    }

    /// One query [D] over `len` keys and values, each [D]: into `out` [D] goes what the heads found, side by side.
    /// `weights` is left with the first head's weights [len].
    pub(super) fn attend<'a>(
        &self,
        query: &[f32],
        len: usize,
        key: impl Fn(usize) -> &'a [f32],
        value: impl Fn(usize) -> &'a [f32],
        out: &mut [f32],
        weights: &mut Weights,
    ) {
        let width = query.len() / self.heads;
        let scale = 1.0 / (width as f32).sqrt();
        out.fill(0.0);
        for head in 0..self.heads {
            let span = head * width..(head + 1) * width;
            weights.row.clear();
            weights.row.extend((0..len).map(|at| dot(&query[span.clone()], &key(at)[span.clone()]) * scale));
            softmax(&mut weights.row);
            for (at, weight) in weights.row.iter().enumerate() {
                multiply_add(&mut out[span.clone()], *weight, &value(at)[span.clone()]);
            }
            if head == 0 {
                weights.first_head.clone_from(&weights.row);
            }
        }
    }

    /// What ends the sublayer: projection, and the operations after it, whose input was `input`.
    pub(super) fn finish(&self, heads: &mut Vec<f32>, input: &[f32], spare: &mut Vec<f32>) {
        if let Some(output) = &self.output {
            output.apply(heads, spare);
            std::mem::swap(heads, spare);
        }
        self.after.apply(heads, input);
    }
}

/// Buffers for attention weights.
#[derive(Clone, Debug, Default)]
pub(super) struct Weights {
    row: Vec<f32>,
    pub(super) first_head: Vec<f32>,
}
