//! Comparison of two sides of a cell: speeds by their rounds, texts by their quality.
//!
//! The sides of `dyno compare` are two runs; those of `dyno gate` are two systems, measured side by side.

mod changes;
mod kinds;
mod quality;
mod speed;
mod worse_lines;

pub use changes::{Changes, protocol_changes};
pub use kinds::KindChange;
pub use quality::{Quality, QualityLimits};
pub use speed::{
    Change, Comparison, LEAST_PAIRS, MOST_PAIRS, PAIRS, Question, SIGNIFICANT, Speeds, TOLERATED_IN_SLICES,
    TOLERATED_SLOW_DOWN, judge,
};
pub use worse_lines::WorseLine;
