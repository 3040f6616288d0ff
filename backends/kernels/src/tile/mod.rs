//! The loop nest of a product of some rows with panels of weights: tiles in registers, with their epilogue, for each
//! instruction set. Operands are views and blocks of bytes; other modules own them.

mod blocking;
pub(crate) mod halves;
pub(crate) mod job;
mod matrix;
pub(crate) mod nest;
pub(crate) mod walk;

pub use blocking::Blocking;
pub(crate) use blocking::{Blockings, CLASSES, class};
pub use job::{Activation, Best, Mask, Output};
pub use matrix::{Mat, MatMut};
