//! Autoregression: the one sublayer in which decoders differ, by which a hypothesis uses its past.

use std::sync::Arc;

use crate::{Row, Scratch};

/// Parameters of an autoregressive sublayer, shared by workers.
pub trait Autoregression: Send + Sync {
    /// A state for the hypotheses of one worker.
    fn state(self: Arc<Self>) -> Box<dyn AutoregressionState>;
}

/// The sublayer's state of each hypothesis.
pub trait AutoregressionState: Send {
    /// Appends the state of `rows` new hypotheses.
    fn admit(&mut self, rows: usize);

    /// Replaces `vectors` [hypotheses, D], the sublayer's input at a step of the hypotheses `rows`, by its
    /// output. Rows at position 0 are the last ones.
    fn step(&mut self, vectors: &mut Vec<f32>, rows: &[Row], scratch: &mut Scratch);

    /// Reorders the state: the new hypothesis i continues the old hypothesis `kept[i]`.
    fn reorder(&mut self, kept: &[usize]);
}
