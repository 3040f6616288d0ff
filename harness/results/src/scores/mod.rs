//! Quality of a run's outputs.
//!
//! sacrebleu, the reference implementation, computes the scores, in the user's own Python or in a private
//! one. The confidence intervals and the comparisons are a bootstrap of our own over sacrebleu's counts of
//! each line. Metrics of the user's own run as commands. Encoders are
//! scored here, by `spearman`.

mod command;
mod corpus;
mod python;
mod scorer;
mod spearman;
mod stored;

pub use command::MetricCommand;
pub use python::cache_folder;
pub use scorer::{SacrebleuFiles, Work, collection, prepare, sacrebleu_files, score, score_run, version};
pub use spearman::{SPEARMAN, correlation};
pub use stored::{Pair, Score, Scores};
