//! Judgements of times, as pure functions of samples. Each limit leaves room for what honest systems do: a
//! batch shortlist gets smaller with repeated lines, by about 20 % on Marian.

mod judgement;
mod launches;
mod lines;

pub use judgement::{Judgement, Sample};
pub use launches::{FileTime, coalesced, recognises_files, share_of_fresh};
pub use lines::{
    AT_ONCE_RATIO, CACHE_APART, CACHE_PAIRS, LEAST_SAVED_NS, SIGNIFICANT, SIGNIFICANT_IN_A_ROUND, cached,
    recognises,
};
