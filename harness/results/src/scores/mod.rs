//! Quality of a run's outputs.
//!
//! A run has a list of metrics. sacrebleu, the reference implementation, computes BLEU, spBLEU, chrF, chrF++ and
//! TER, in the user's own Python or in a private one; `spearman` is our own; workers compute any other. Confidence
//! intervals and comparisons are a bootstrap of our own, over sacrebleu's counts of each line, over pairs of sentences,
//! or over the workers' segment scores.

mod answers;
mod corpus;
mod metric;
mod python;
mod sacrebleu;
mod scale;
mod scorer;
mod spearman;
mod stored;
mod work;
mod worker;

pub use answers::{MetricFacts, TextScores};
pub use metric::{Metric, Metrics, Standard, WorkerCommand};
pub use sacrebleu::{SacrebleuFiles, collection, prepare, sacrebleu_files, version};
pub use scale::{Direction, Needs, Scale};
pub(crate) use scorer::unscorable;
pub use scorer::{Answer, score, score_run};
pub use stored::{Quality, Scores};
pub use work::Work;
pub(crate) use work::name_of_copy;
