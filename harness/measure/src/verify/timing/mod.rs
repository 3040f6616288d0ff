//! Judgements of times, as pure functions of samples. Each limit leaves room for what honest systems do: a
//! batch shortlist gets smaller with repeated lines, by about 20 % on Marian.

mod judgement;
mod launches;
mod lines;

pub use judgement::{Judgement, Sample};
pub use launches::{
    ACCUSING_TURNS, CLEARING_TURNS, LaunchTime, Standing, Turn, is_certain, judge, median_share,
    share_of_other, standing,
};
pub use lines::{AT_ONCE_RATIO, LEAST_SAVED_NS, SIGNIFICANT, SIGNIFICANT_IN_A_ROUND, cached, recognises};
