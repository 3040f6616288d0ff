//! What recurrent layers share: the gates of GRU and LSTM, what hypotheses remember, and the walk through a batch.

mod gates;
mod walk;

pub use gates::{Cell, Functions};
pub use walk::{Spans, WalkBuffers};

use crate::Rows;

/// What hypotheses or sentences remember in one layer.
#[derive(Clone, Debug)]
pub struct State {
    /// [rows, S].
    pub output: Rows,
    /// [rows, S]; only LSTMs look at it.
    pub cell: Rows,
}

impl State {
    /// No rows, of this width.
    pub fn new(width: usize) -> Self {
        Self { output: Rows::new(width), cell: Rows::new(width) }
    }

    /// Replaces all by `rows` rows of zeros.
    pub fn reset(&mut self, rows: usize) {
        self.output.reset(rows);
        self.cell.reset(rows);
    }

    /// The new row i is what row `kept[i]` was.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn reorder(&mut self, kept: &[usize]) {
        self.output.reorder(kept);
        self.cell.reorder(kept);
    }
}
