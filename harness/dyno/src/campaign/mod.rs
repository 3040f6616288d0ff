//! The campaign: systems, test sets and tracks to measure, checked, with all paths resolved.
//!
//! `wire` reads the file as people write it; [`Campaign`] is the checked result. Measuring belongs to
//! `runner`.

mod blocks;
mod checked;
mod drawing;
mod entry;
mod generated;
mod pairs;
mod search;
mod suggestions;
mod test_sets;
#[cfg(test)]
mod tests;
mod wire;

pub use checked::{Campaign, MeterCommand};
pub use drawing::{make_ready, unbuilt, undrawn};
pub use entry::{Entry, Launch};
pub use generated::Generated;
pub use wire::{named_or_starter, shipped};
