//! The runner: measures a whole campaign, single rounds or probes. It drives run, gate, reproduce and verify
//! alike.
//!
//! `measurement` owns the single round and probe, `rounds` all rounds of a run. `campaign_run` adds
//! preparation, scores and the summary. `guard` keeps systems from each other's files. How one round is
//! measured belongs to `dyno-measure`, and what a run's files look like to `dyno-results`.

mod campaign_run;
mod dry_run;
mod guard;
mod measurement;
mod pace;
mod probes;
mod rounds;
mod sandbox;

pub use campaign_run::{Finished, Options, keep_price, run_campaign};
pub use dry_run::dry_run;
pub use measurement::{Keeper, Runner};
