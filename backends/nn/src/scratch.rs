//! What a session hands to its layers besides their input: its threads, and buffers that any layer may use.

use crate::math::{Operands, Threads};

/// Threads and buffers of a session. All layers of all its networks use them in turn; the buffers only grow.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Threads that share the work, and inputs of products in the form that the products read.
    pub operands: Operands,
    /// Input of a sublayer after the operations before it.
    pub prepared: Vec<f32>,
    /// Gates of a highway, or of a cell's row.
    pub gates: Vec<f32>,
    /// Values between two products, such as what the gates of a cell read.
    pub between: [Vec<f32>; 2],
    /// Output of a sublayer.
    pub(crate) out: Vec<f32>,
}

impl Scratch {
    /// Buffers for layers whose work `threads` share.
    pub fn new(threads: Threads) -> Self {
        Self { operands: Operands::new(threads), ..Self::default() }
    }
}
