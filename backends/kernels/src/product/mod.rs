//! Matrix products: activations A [M, K] times packed weights B [K, N].

pub(crate) mod arithmetic;
mod blocking;
mod blocks;
mod candidates;
mod heads;
pub(crate) mod job;
mod layout;
#[cfg(target_arch = "x86_64")]
pub(crate) mod magnitudes;
mod matrix;
mod operand;
mod rows;
mod shared;
mod task;
pub(crate) mod tile;
pub(crate) mod walk;
pub(crate) mod weights;

pub use blocking::Blocking;
pub(crate) use blocking::{Blockings, CLASSES, class};
pub use candidates::Candidates;
pub use heads::SelfAttention;
pub use job::{Activation, Best, Mask, Output};
pub use layout::Layout;
pub use matrix::{Mat, MatMut};
pub use rows::{Input, Rows, RowsPart};
pub use shared::SharedBytes;
pub use task::Task;
pub use weights::Weights;
