//! Keys and values: the operand of attention with several heads.
//!
//! Keys of sixteen positions lie side by side, so that a query's scores are whole vectors, and no sum crosses
//! lanes. Values lie as they came, because their sum runs over positions.

use crate::Result;
use crate::error::sized;
use crate::lanes::LANES;

/// Keys and values of one sentence, or of one hypothesis so far. The buffers only grow; clearing keeps their
/// memory.
#[derive(Clone, Debug)]
pub struct KeyValues {
    pub(crate) width: usize,
    pub(crate) positions: usize,
    /// Positions at the beginning that queries don't see.
    pub(crate) hidden: usize,
    pub(crate) keys: Vec<[f32; LANES]>, // [positions / 16 rounded up, width], of sixteen positions each
    pub(crate) values: Vec<f32>,        // [positions, width]
}

impl KeyValues {
    /// No positions, with keys and values of `width`, all heads side by side.
    #[must_use]
    pub fn new(width: usize) -> Self {
        Self { width, positions: 0, hidden: 0, keys: Vec::new(), values: Vec::new() }
    }

    /// Removes all positions.
    pub fn clear(&mut self) {
        (self.positions, self.hidden) = (0, 0);
        self.keys.clear();
        self.values.clear();
    }

    /// Copies another operand into the memory of this one.
    pub fn copy_from(&mut self, other: &Self) {
        (self.width, self.positions, self.hidden) = (other.width, other.positions, other.hidden);
        self.keys.clone_from(&other.keys);
        self.values.clone_from(&other.values);
    }

    /// Adds a position.
    pub fn push(&mut self, key: &[f32], value: &[f32]) -> Result<()> {
        sized("key", key.len(), self.width)?;
        sized("value", value.len(), self.width)?;
        let (block, lane) = (self.positions / LANES * self.width, self.positions % LANES);
        if lane == 0 {
            self.keys.resize(block + self.width, [0.0; LANES]);
        }
        for (lanes, key) in self.keys[block..].iter_mut().zip(key) {
            lanes[lane] = *key;
        }
        self.values.extend_from_slice(value);
        self.positions += 1;
        Ok(())
    }

    /// Removes the positions from `positions` on; queries see all that are left.
    pub fn truncate(&mut self, positions: usize) {
        (self.positions, self.hidden) = (self.positions.min(positions), 0);
        self.keys.truncate(self.span() / LANES * self.width);
        self.values.truncate(self.positions * self.width);
    }

    /// Lets queries see the last `window` positions alone.
    pub fn see_last(&mut self, window: usize) {
        self.hidden = self.positions.saturating_sub(window);
    }

    /// Number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions
    }

    /// Whether there is no position.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions == 0
    }

    /// Number of positions rounded up to whole vectors: the distance between the weights of two heads.
    #[must_use]
    pub fn span(&self) -> usize {
        self.positions.next_multiple_of(LANES)
    }
}
