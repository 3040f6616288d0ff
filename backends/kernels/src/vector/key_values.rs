//! What attention of several heads attends to.
//!
//! Keys lie sixteen positions side by side, so that a query's scores come out of a vector whole and nothing is added across
//! lanes; values lie as they came, since their sum runs over positions.

use crate::Result;
use crate::error::sized;
use crate::lanes::LANES;

/// Keys and values of one sentence, or of one hypothesis so far. It only grows; clearing it keeps its room.
#[derive(Clone, Debug)]
pub struct KeyValues {
    pub(crate) width: usize,
    pub(crate) positions: usize,
    pub(crate) keys: Vec<[f32; LANES]>, // [positions / 16 rounded up, width], of sixteen positions each
    pub(crate) values: Vec<f32>,        // [positions, width]
}

impl KeyValues {
    /// Of keys and values [width], all heads side by side.
    #[must_use]
    pub fn new(width: usize) -> Self {
        Self { width, positions: 0, keys: Vec::new(), values: Vec::new() }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.positions = 0;
        self.keys.clear();
        self.values.clear();
    }

    /// Becomes a copy of another, in the room that it has.
    pub fn copy_from(&mut self, other: &Self) {
        (self.width, self.positions) = (other.width, other.positions);
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

    /// Positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions
    }

    /// Whether there is nothing to attend to.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions == 0
    }

    /// Positions, rounded up: how far apart the heads' weights lie.
    #[must_use]
    pub fn span(&self) -> usize {
        self.positions.next_multiple_of(LANES)
    }
}
