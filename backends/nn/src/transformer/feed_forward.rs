//! The feed-forward sublayer, with any number of layers.

use dyno_formats::Result;
use dyno_formats::spec::{FeedSpec, TransformerSpec};

use super::Process;
use crate::Scratch;
use crate::math::{Activation, Epilogue, Linear, activation};
use crate::params::Params;

/// Linear layers in sequence, with an activation after all but the last.
pub struct FeedForward {
    layers: Vec<Linear>,
    activation: Activation,
    before: Process,
    after: Process,
    width: usize,
}

impl FeedForward {
    /// Reads the parameters that begin with `prefix`, such as `encoder_l1_ffn`.
    ///
    /// # Errors
    /// When a parameter is missing or has another shape.
    pub fn new(params: Params<'_>, spec: &TransformerSpec, feed: FeedSpec, prefix: &str) -> Result<Self> {
        let width = spec.width;
        let layer = |number: usize| {
            let inputs = if number == 1 { width } else { feed.width };
            let outputs = if number == feed.depth { width } else { feed.width };
            params.dense(prefix, &number.to_string(), inputs, outputs)
        };
        let around = format!("{prefix}_ffn");
        let layers: Vec<_> = (1..=feed.depth).map(layer).collect::<Result<_>>()?;
        let before = Process::before(params, &spec.before, &around, width)?;
        let after = Process::after(params, &spec.after, &around, width)?;
        Ok(Self::of(layers, activation(spec.activation), [before, after]))
    }

    /// A sublayer of these products, with the operations `before` and `after`.
    pub fn of(layers: Vec<Linear>, activation: Activation, [before, after]: [Process; 2]) -> Self {
        let rounded = layers.iter().skip(1).all(Linear::reads_int8);
        let activation = if rounded { activation.before_rounding() } else { activation };
        let width = layers.last().map_or(0, Linear::outputs);
        Self { layers, activation, before, after, width }
    }

    /// Replaces `rows` [n, D] by the sublayer's output.
    pub(super) fn apply(&self, rows: &mut Vec<f32>, scratch: &mut Scratch) {
        let mut out = std::mem::take(&mut scratch.out);
        out.resize(rows.len(), 0.0);
        let some = ROWS * self.width;
        for (rows, out) in rows.chunks(some).zip(out.chunks_mut(some)) {
            self.apply_to_block(rows, scratch, out);
        }
        scratch.out = std::mem::replace(rows, out);
    }

    /// Replaces `out` by the sublayer's output for `rows`, [`ROWS`] at most.
    pub(super) fn apply_to_block(&self, rows: &[f32], scratch: &mut Scratch, out: &mut [f32]) {
        let (last, first) = self.layers.split_last().expect("one layer or more, by the options");
        let mut prepared = std::mem::take(&mut scratch.prepared);
        let [mut at, mut next] = std::mem::take(&mut scratch.between);
        let mut input = self.before.prepare(rows, &mut prepared, &mut scratch.operands.threads);
        for layer in first {
            let then = Epilogue { activation: self.activation, residual: None };
            layer.apply_then(input, &mut scratch.operands, then, &mut next);
            std::mem::swap(&mut at, &mut next);
            input = &at;
        }
        self.after.product(last, input, rows, scratch, out);
        (scratch.prepared, scratch.between) = (prepared, [at, next]);
    }
}

/// Number of rows that pass through all products of a sublayer together. It is large enough for products at full speed.
/// It is small enough that values between the layers, 512 KiB at a width of 2048, stay in a core's cache.
pub(super) const ROWS: usize = 64;
