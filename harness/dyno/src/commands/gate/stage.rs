//! The stage of the gate: it measures pairs of rounds and whole texts, and keeps them as a run.

use std::collections::HashMap;
use std::ops::Range;

use dyno_measure::{Measured, Round, System, TestSet};
use dyno_record::{Host, Interleave, Record, Track};
use dyno_results::{Place, Store};
use dyno_stats::Random;

use super::cell::{Cell, Fault, interrupted, quick};
use crate::campaign::{Campaign, Entry};
use crate::exit::Outcome;
use crate::interrupt::Stop;
use crate::progress::Progress;
use crate::runner::Keeper;

/// Answers to a whole test set, one for each line, or the rule that the system broke.
type Answers = Result<Vec<String>, Fault>;

/// Stage of the gate: measures rounds and keeps them.
pub struct Stage {
    campaign: Campaign,
    /// Measures the rounds, and keeps them in a run whose identity describes the systems of both sides.
    pub keeper: Keeper,
    /// Answers by system, test set and track. Candidates share a baseline.
    answers: HashMap<(String, String, Track), Answers>,
}

impl Stage {
    pub fn new(
        place: &Place<'_>,
        campaign: &Campaign,
        host: &Host,
        (entries, sets): (Vec<Entry>, Vec<TestSet>),
        stop: &Stop,
    ) -> Outcome<Self> {
        let campaign = quick(campaign, entries, sets);
        let (store, run) = Store::open(place, campaign.identity(host)?, usize::MAX, &campaign.test_sets)?;
        if !run.records.is_empty() {
            let folder = store.folder().display();
            refuse!("{folder} holds rounds of a gate already: choose another --out");
        }
        let mut keeper = Keeper::new(&campaign, host, store, run, stop)?;
        keeper.runner.measure_pipe_floor()?;
        Ok(Self { campaign, keeper, answers: HashMap::new() })
    }

    /// Measures a pair of rounds; of a stored baseline only the candidate's.
    fn pair(&mut self, cell: &mut Cell, baseline_first: bool, progress: &Progress) -> Outcome<()> {
        let mut pair = cell.pair();
        if !baseline_first {
            pair.reverse();
        }
        progress.show(&format!("{} · {}", cell.candidate.name, cell.track), None);
        let mut records = self.rounds(&pair)?;
        records.iter().for_each(|_| progress.advance());
        if !baseline_first {
            records.reverse();
        }
        cell.add(records);
        Ok(())
    }

    /// Measures and keeps rounds: side by side, or one after another if the campaign wants it so.
    fn rounds(&mut self, group: &[Round<'_>]) -> Outcome<Vec<Record>> {
        let size = if self.campaign.protocol.interleave == Interleave::Slices { group.len() } else { 1 };
        let mut records = Vec::new();
        for together in group.chunks(size) {
            records.extend(self.measure(together)?.into_iter().map(|measured| measured.record));
        }
        Ok(records)
    }

    /// Measures a group of rounds. Each gets the next number of its system's cell: a baseline meets several
    /// candidates, and a run has no two rounds of one number.
    fn measure(&mut self, together: &[Round<'_>]) -> Outcome<Vec<Measured>> {
        let records = &self.keeper.run.records;
        let number = |round: &Round<'_>| records.iter().filter(|record| round.has(record)).count();
        let numbered: Vec<_> =
            together.iter().map(|round| Round { number: number(round), ..*round }).collect();
        let measured = self.keeper.rounds(&numbered)?;
        if measured.is_empty() { Err(interrupted()) } else { Ok(measured) }
    }

    /// Answers of `system` to the whole of `set`: a round that is measured for its text.
    pub fn answers(&mut self, system: &System, set: &TestSet, track: Track) -> Outcome<Answers> {
        let key = (system.name.clone(), set.sha256.clone(), track);
        if let Some(known) = self.answers.get(&key) {
            return Ok(known.clone());
        }
        let measured = self.measure(&[Round { system, test_set: set, track, number: 0 }])?.remove(0);
        let text = |line: &Vec<u8>| String::from_utf8_lossy(line).into_owned();
        let answers = Fault::of(&measured.record)
            .map_or_else(|| Ok(measured.answers.iter().map(text).collect::<Vec<_>>()), Err);
        Ok(self.answers.entry(key).or_insert(answers).clone())
    }

    /// Measures pairs of all cells, interleaved in seeded random order. A cell with a fault is measured no
    /// more. True if the user stopped it before the end.
    pub fn pairs(
        &mut self,
        cells: &mut [&mut Cell],
        pairs: Range<usize>,
        progress: &Progress,
    ) -> Outcome<bool> {
        for number in pairs {
            let mut random = Random::new(self.campaign.protocol.seed, &format!("pair {number}"));
            for i in random.permutation(cells.len()) {
                self.keeper.runner.stop.begin("this round", None);
                if self.keeper.runner.stop.is_wanted() {
                    return Ok(true);
                }
                // One after another, neither side always comes first.
                let baseline_first = random.below(2) == 0;
                match cells[i].fault {
                    None => self.pair(cells[i], baseline_first, progress)?,
                    Some(_) => (0..cells[i].rounds_of_a_pair()).for_each(|_| progress.advance()),
                }
            }
        }
        Ok(false)
    }
}
