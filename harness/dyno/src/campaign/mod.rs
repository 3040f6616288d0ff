//! The campaign: systems, test sets and tracks that are to be measured, checked and with every path resolved. `wire` is what
//! the file may say; [`Campaign`] is what it means.

mod checked;
mod drawing;
mod entry;
mod generated;
mod shipped;
mod test_sets;
mod unknown;
mod wire;

pub use checked::Campaign;
pub use drawing::{make_models, undrawn};
pub use entry::{Entry, Launch};
pub use generated::Generated;
pub use shipped::{named_or_starter, shipped, starter};
