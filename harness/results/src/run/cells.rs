//! Cells of a run: the records of one system on one test set under one track, and what a run lacks of them.

use std::collections::HashMap;

use dyno_measure::TestSet;
use dyno_record::{Reason, Record, Track, Verdict};
use itertools::Itertools;

use super::Run;

/// A cell of a run, with its records.
pub struct MeasuredCell<'a> {
    /// Name of the system.
    pub system: &'a str,
    /// Test set of the cell.
    pub test_set: &'a TestSet,
    /// Track of the cell.
    pub track: Track,
    /// Records of the cell, in the order of measurement.
    pub records: Vec<&'a Record>,
    /// Fault of rounds whose texts are of unlike quality.
    pub unlike: Option<Reason>,
}

impl<'a> MeasuredCell<'a> {
    /// Records that count: all but INVALID ones.
    pub fn valid(&self) -> Vec<&'a Record> {
        self.records.iter().copied().filter(|record| record.verdict != Verdict::Invalid).collect()
    }

    /// Verdict on the cell: INVALID with one INVALID round, or with rounds of unlike quality; NOISY with more than half
    /// of the rounds NOISY.
    pub fn verdict(&self) -> Verdict {
        let count = |verdict| self.records.iter().filter(|record| record.verdict == verdict).count();
        match self.records.len() {
            _ if count(Verdict::Invalid) > 0 || self.unlike.is_some() => Verdict::Invalid,
            rounds if 2 * count(Verdict::Noisy) > rounds => Verdict::Noisy,
            _ => Verdict::Valid,
        }
    }

    /// Words a second of the rounds that count.
    pub fn speeds(&self) -> Vec<f64> {
        self.valid().iter().filter_map(|record| record.words_per_second()).collect()
    }
}

impl Run {
    /// Cells with records, in the order of tables: by test set, track, system.
    pub fn cells(&self) -> Vec<MeasuredCell<'_>> {
        let index = self.index();
        let all = self.test_sets.iter().cartesian_product(Track::ALL).cartesian_product(self.systems());
        let cells = all.map(|((set, track), system)| index.cell(system, set, track));
        cells.filter(|cell| !cell.records.is_empty()).collect()
    }

    /// Records by their cell. A run of many cells is read once, not once a cell.
    fn index(&self) -> Index<'_> {
        let mut index = Index { run: self, records: HashMap::new() };
        for record in &self.records {
            let cell = (record.system.as_str(), record.test_set.as_str(), record.track);
            index.records.entry(cell).or_default().push(record);
        }
        index
    }

    /// Cells with fewer rounds than the profile asks for, each with the number of missing rounds. A shard
    /// lacks only rounds of its own groups.
    pub fn missing(&self) -> Vec<(MeasuredCell<'_>, usize)> {
        let protocol = &self.identity.protocol;
        let groups = self.test_sets.iter().cartesian_product(&protocol.tracks).enumerate();
        let own = groups.filter(|(i, _)| protocol.shard.is_none_or(|shard| shard.holds(*i)));
        let index = self.index();
        let cells = own.flat_map(|(_, (set, &track))| {
            let own = self.identity.systems.iter().filter(|system| system.takes_part(track));
            own.map(|system| index.cell(&system.name, set, track)).collect::<Vec<_>>()
        });
        let lacking = cells.map(|cell| {
            let measured = cell.records.iter().map(|record| record.round).unique().count();
            let lacks = protocol.profile.rounds().saturating_sub(measured);
            (cell, lacks)
        });
        lacking.filter(|(_, lacks)| *lacks > 0).collect()
    }

    /// Number of missing rounds of all cells.
    pub fn missing_rounds(&self) -> usize {
        self.missing().iter().map(|(_, lacks)| lacks).sum()
    }
}

/// A run's records by system, test set and track, in the order of measurement.
struct Index<'a> {
    run: &'a Run,
    records: HashMap<(&'a str, &'a str, Track), Vec<&'a Record>>,
}

impl<'a> Index<'a> {
    fn cell(&self, system: &'a str, test_set: &'a TestSet, track: Track) -> MeasuredCell<'a> {
        let records = self.records.get(&(system, test_set.name.as_str(), track)).cloned().unwrap_or_default();
        let unlike = self.run.unlike(&test_set.name, &records);
        MeasuredCell { system, test_set, track, records, unlike }
    }
}
