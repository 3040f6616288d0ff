//! Memory that begins at cache lines: of all that a program allocates, of packed weights, and of other owners.

mod allocator;
mod blocks;
mod shared;

pub use allocator::WholeLines;
pub(crate) use blocks::Blocks;
pub use shared::SharedBytes;
pub(crate) use shared::{Columns, start, starts};
