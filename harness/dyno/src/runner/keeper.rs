//! The keeper: a runner whose rounds are kept, in memory and in the run's folder.

use dyno_measure::{Host, Measured, Record, Round};
use dyno_results::{Run, Store};

use super::measurement::Runner;
use crate::campaign::Campaign;
use crate::exit::Outcome;

/// A runner with the run that it adds to.
pub struct Keeper {
    pub runner: Runner,
    pub store: Store,
    pub run: Run,
}

impl Keeper {
    /// Keeps rounds in `store`. The rounds of `run` count as earlier ones.
    pub fn new(campaign: &Campaign, host: &Host, store: Store, run: Run) -> Outcome<Self> {
        let mut runner = Runner::new(Some(store.folder()), campaign, host)?;
        for record in &run.records {
            let answers = record.output.as_ref().map(|output| store.answers(output)).transpose()?;
            runner.earlier.add(record, &answers.unwrap_or_default());
        }
        Ok(Self { runner, store, run })
    }

    /// Measures and keeps one round of each of several systems side by side.
    pub fn rounds(&mut self, group: &[Round<'_>]) -> Outcome<Vec<Measured>> {
        let measured = self.runner.rounds(group)?;
        self.keep(&measured)?;
        Ok(measured)
    }

    /// Keeps the record of a round that isn't run, because its cell is INVALID already. `None` if the round is
    /// to be run.
    pub(super) fn refuse(&mut self, round: &Round<'_>) -> Outcome<Option<Record>> {
        let refused = self.runner.refuse(round)?;
        self.keep(refused.as_slice())?;
        Ok(refused.map(|refused| refused.record))
    }

    fn keep(&mut self, group: &[Measured]) -> Outcome<()> {
        self.store.keep(group)?;
        group.iter().for_each(|measured| self.run.add(measured.clone()));
        Ok(())
    }
}
