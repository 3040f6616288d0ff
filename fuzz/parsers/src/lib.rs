//! Every parser of a file or a line that somebody else wrote, in one table: for tests and for libFuzzer.
//!
//! `tests/it` damages sound files at random, on each `cargo test`; `fuzz/` lets libFuzzer search. Both ask
//! the same: whatever the bytes, a parser answers with a value or with one line that names the fault. It
//! never panics, and holds memory in proportion to the file. What it accepts is used as the program would use
//! it, and what the program writes is read again as the same.
//!
//! | module | parsers of |
//! | --- | --- |
//! | `parser`, `project`, [`damage`] | – : what a row says, files to start from, the damage itself |
//! | `models` | weights, configurations, shortlists and manifests of models |
//! | `words` | vocabularies and tokenisers |
//! | `engines` | whole models, opened by an engine that answers a line |
//! | `runs` | the folder of a run or of a merged one, kept speeds of products, price lists |
//! | `campaigns` | campaigns, test sets, manifests of adapters, recordings of arrivals |
//! | `programs` | what programs answer: metrics, facts about a system, counters, containers |
//! | `kernel` | files of the kernel: processes, their memory, control groups |
//!
//! A new parser needs a row in one of these modules, and nothing else.

mod campaigns;
pub mod damage;
mod engines;
mod kernel;
mod models;
mod parser;
mod programs;
mod project;
mod runs;
mod words;

pub use parser::{Check, Parser};
pub use project::scratch;

/// All parsers.
pub fn parsers() -> Vec<Parser> {
    let mut all = models::parsers();
    all.extend(words::parsers());
    all.extend(engines::parsers());
    all.extend(runs::parsers());
    all.extend(campaigns::parsers());
    all.extend(programs::parsers());
    all.extend(kernel::parsers());
    all
}
