//! Packed weights B [K, N], the rows A [M, K] that multiply them, and their products: on one thread, shared by a crew,
//! and for the candidates of a shortlist.

mod candidates;
mod layout;
mod pack;
mod packed;
mod rows;
mod scaled;
mod task;
mod tuner;

pub use candidates::Candidates;
pub use layout::Layout;
pub use packed::Weights;
pub(crate) use rows::bytes;
pub use rows::{Input, Rows, RowsPart};
pub use scaled::ScaledTask;
pub use task::Task;
