//! The gate: pairs of short rounds of a candidate and its baseline, in turns of the same second.
//!
//! Both sides run side by side, so that disturbances of the host meet both alike.
//! `dyno_results::compare` judges the pairs. The command `gate` measures a suspected regression once more and
//! judges both passes together.

mod baseline;
mod cell;
mod instructions;
mod stage;
mod trial;

pub use baseline::Baseline;
pub use cell::{Cell, Fault};
pub use instructions::{Counter, Counts, Instructions};
pub use stage::Stage;
pub use trial::Trials;
