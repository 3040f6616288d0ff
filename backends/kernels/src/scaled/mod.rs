//! Products with weights whose rows are cut into short blocks, each with a scale of its own.
//!
//! This is the form of GGUF's quantised weights: a weight is `scale·(quantum - zero) + minimum`, where a
//! quantum has 4 or 8 bits, and 32 weights of a row (or 16) share their scale. Activations are cut into
//! blocks of 32 as well, each with its greatest magnitude as the scale of int8 values. So the product of two
//! blocks is one whole number, two scales, and the minimum times the sum of the activations.
//!
//! Sixteen rows of weights lie side by side, four values of each in a lane: a lane has the sum of a row, and
//! no sum crosses lanes. The whole numbers are exact and the order of the sums is one, so that all
//! instruction sets give the same bits.
//!
//! | module | contents |
//! | --- | --- |
//! | `weights` | [`ScaledWeights`]: packed weights, and [`ScaledRow`] to fill them row by row |
//! | `rows` | [`ScaledRows`]: quantised activations |
//! | `kernel` | the loop nest, written once over the steps of an instruction set |
//!
//! The products that the threads of a crew share are [`ScaledTask`](crate::ScaledTask)s of `weights`.

pub(crate) mod kernel;
mod rows;
mod weights;

pub(crate) use kernel::{Job, scaled};
pub use rows::ScaledRows;
pub use rows::in_half;
pub(crate) use rows::{BLOCK, GROUPS, RowBlock};
pub use weights::{ScaledForm, ScaledRow, ScaledWeights};
