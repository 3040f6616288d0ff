//! One worker's buffers that all sublayers use in turn.

use crate::math::Operands;

/// What layers need besides their input and their output; it only grows.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Of products.
    pub operands: Operands,
    /// What [`Process::prepare`](super::Process::prepare) made of a sublayer's input.
    pub prepared: Vec<f32>,
    /// Gates of highways.
    pub gate: Vec<f32>,
}
