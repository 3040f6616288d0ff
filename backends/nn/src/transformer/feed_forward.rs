//! The feed-forward sublayer, of any depth.

use dyno_formats::Result;

use super::options::Feed;
use super::{Options, Process};
use crate::math::{Activation, Linear};
use crate::params::Params;

/// Layers one after the other, with an activation on all but the last.
pub struct FeedForward {
    layers: Vec<Linear>,
    activation: Activation,
    before: Process,
    after: Process,
}

impl FeedForward {
    /// Reads the parameters that begin with `prefix`, such as `encoder_l1_ffn`.
    ///
    /// # Errors
    /// When one is missing, or has another shape.
    pub fn new(params: Params<'_>, options: &Options, feed: Feed, prefix: &str) -> Result<Self> {
        let width = options.width;
        let layer = |number: usize| {
            let inputs = if number == 1 { width } else { feed.width };
            let outputs = if number == feed.depth { width } else { feed.width };
            params.dense(prefix, &number.to_string(), inputs, outputs)
        };
        let around = format!("{prefix}_ffn");
        Ok(Self {
            layers: (1..=feed.depth).map(layer).collect::<Result<_>>()?,
            activation: options.activation,
            before: Process::before(params, &options.before, &around, width)?,
            after: Process::after(params, &options.after, &around, width)?,
        })
    }

    /// Replaces `rows` [n, D] by the sublayer's output.
    pub(super) fn apply(&self, rows: &mut Vec<f32>, input: &mut Vec<f32>, spare: &mut Vec<f32>) {
        input.clone_from(rows);
        self.before.apply(rows, &[]);
        let last = self.layers.len() - 1;
        for (at, layer) in self.layers.iter().enumerate() {
            layer.apply(rows, spare);
            std::mem::swap(rows, spare);
            if at < last {
                self.activation.apply(rows);
            }
        }
        self.after.apply(rows, input);
    }
}
