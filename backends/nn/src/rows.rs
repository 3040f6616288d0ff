//! Rows of hypotheses: one vector each, reordered by the search.

/// A row for each hypothesis.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    values: Vec<f32>,
    spare: Vec<f32>,
    width: usize,
}

impl Rows {
    /// No rows, of this width.
    pub fn new(width: usize) -> Self {
        Self { values: Vec::new(), spare: Vec::new(), width }
    }

    /// Replaces all rows by `rows` rows of zeros.
    pub fn reset(&mut self, rows: usize) {
        self.values.clear();
        self.values.resize(rows * self.width, 0.0);
    }

    /// Appends `rows` rows of zeros.
    pub fn grow(&mut self, rows: usize) {
        self.values.resize(self.values.len() + rows * self.width, 0.0);
    }

    /// Appends rows with these values [rows, width].
    pub fn append(&mut self, values: &[f32]) {
        self.values.extend_from_slice(values);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.values.len() / self.width.max(1)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All values, [rows, width].
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// All values, writable.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// One row.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.width..][..self.width]
    }

    /// One row, writable.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row_mut(&mut self, row: usize) -> &mut [f32] {
        &mut self.values[row * self.width..][..self.width]
    }

    /// Reorders the rows: the new row i is the old row `kept[i]`.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn reorder(&mut self, kept: &[usize]) {
        let unchanged = kept.iter().enumerate().all(|(new, old)| new == *old);
        if unchanged {
            self.values.truncate(kept.len() * self.width);
            return;
        }
        self.spare.clear();
        for row in kept {
            self.spare.extend_from_slice(&self.values[row * self.width..][..self.width]);
        }
        std::mem::swap(&mut self.values, &mut self.spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_repeat_move_and_go() {
        let mut rows = Rows::new(2);
        rows.append(&[0.0, 0.5, 1.0, 1.5]);
        rows.append(&[2.0, 2.5]);
        rows.reorder(&[0, 1, 2]);
        rows.reorder(&[2, 0, 2]);
        assert_eq!(rows.values(), [2.0, 2.5, 0.0, 0.5, 2.0, 2.5]);
        rows.reorder(&[0, 1]);
        assert_eq!((rows.row(1), rows.len()), ([0.0, 0.5].as_slice(), 2));
        rows.grow(1);
        assert_eq!((rows.row(2), rows.len()), ([0.0; 2].as_slice(), 3));
    }
}
