//! Autoregression: the one sublayer in which decoders differ, by which a hypothesis uses its past.

use std::sync::Arc;

use super::process::Scratch;

/// Parameters of an autoregressive sublayer, shared by workers.
pub trait Autoregression: Send + Sync {
    /// A state for the hypotheses of one worker.
    fn state(self: Arc<Self>) -> Box<dyn AutoregressionState>;
}

/// The sublayer's state of each hypothesis.
pub trait AutoregressionState: Send {
    /// Replaces the state by that of `rows` new hypotheses.
    fn start(&mut self, rows: usize);

    /// Replaces `rows` [hypotheses, D], the sublayer's input at `step` (from 0), by its output.
    fn step(&mut self, rows: &mut Vec<f32>, step: usize, scratch: &mut Scratch);

    /// Reorders the state: the new hypothesis i continues the old hypothesis `kept[i]`.
    fn reorder(&mut self, kept: &[usize]);
}
