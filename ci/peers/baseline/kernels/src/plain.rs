//! Weights as a library reads them: unpacked.

/// Weights [K, N] as they lie: values with the distances of rows and of columns.
#[derive(Clone, Copy)]
pub struct Plain<'a> {
    /// Values from the first one on.
    pub values: &'a [f32],
    /// Distance of two rows.
    pub row: usize,
    /// Distance of two columns.
    pub column: usize,
}

impl Plain<'_> {
    /// Panics unless the last of [k, n] weights lies in the values: libraries check nothing.
    pub fn assert_holds(&self, k: usize, n: usize) {
        let last = |count: usize, distance: usize| count.saturating_sub(1) * distance;
        assert!(k * n == 0 || last(k, self.row) + last(n, self.column) < self.values.len());
    }
}
