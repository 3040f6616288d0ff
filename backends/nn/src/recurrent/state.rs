//! States of a recurrent layer: a row for each hypothesis or sentence.

use crate::Rows;

/// States of hypotheses or sentences in one layer.
#[derive(Clone, Debug)]
pub struct State {
    /// Outputs, [rows, S].
    pub output: Rows,
    /// Cells of an LSTM, [rows, S]; GRUs don't read them.
    pub cell: Rows,
}

impl State {
    /// A state of `width` without rows.
    pub fn new(width: usize) -> Self {
        Self { output: Rows::new(width), cell: Rows::new(width) }
    }

    /// Replaces the state by `rows` rows of zeros.
    pub fn reset(&mut self, rows: usize) {
        self.output.reset(rows);
        self.cell.reset(rows);
    }

    /// Appends `rows` rows of zeros.
    pub fn grow(&mut self, rows: usize) {
        self.output.grow(rows);
        self.cell.grow(rows);
    }

    /// Appends rows whose output and cell have these values [rows, S].
    pub fn append(&mut self, values: &[f32]) {
        self.output.append(values);
        self.cell.append(values);
    }

    /// Reorders the rows: the new row i is the old row `kept[i]`.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn reorder(&mut self, kept: &[usize]) {
        self.output.reorder(kept);
        self.cell.reorder(kept);
    }
}
