//! The one sublayer in which decoders differ: how a hypothesis remembers what it has written.

use std::sync::Arc;

use super::process::Scratch;

/// A sublayer's parameters; shared by workers.
pub trait Autoregression: Send + Sync {
    /// The memory of one worker's hypotheses.
    fn state(self: Arc<Self>) -> Box<dyn AutoregressionState>;
}

/// What the sublayer knows of each hypothesis.
pub trait AutoregressionState: Send {
    /// Forgets all: `rows` new hypotheses.
    fn start(&mut self, rows: usize);

    /// Replaces `rows` [hypotheses, D], the sublayer's input at `step` (from 0), by its output.
    fn step(&mut self, rows: &mut Vec<f32>, step: usize, scratch: &mut Scratch);

    /// The new hypothesis i continues what was `kept[i]`.
    fn reorder(&mut self, kept: &[usize]);
}
