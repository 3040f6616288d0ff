//! Figures of a run in the forms that benchmark services read. All forms come from one list of figures, so
//! that services agree with each other and with the summary.

mod actions;
mod asv;
mod bencher;
mod figures;

pub use actions::action_files;
pub use asv::asv;
pub use bencher::bencher;
pub use figures::{Figure, figures};
