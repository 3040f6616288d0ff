//! Figures of a run in the forms that benchmark services read. All forms come from one list of figures, so
//! that services agree with each other and with the summary.

mod asv;
mod figures;

pub use asv::asv;
pub use figures::{Figure, action_files, bencher, figures};
