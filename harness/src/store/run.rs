//! A run as it lies on the disk, read whole and never written: what tables, comparisons and reports start from.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use super::files::read_whole_lines;
use super::folder::read_identity;
use super::journal::parse_records;
use super::{BREAKDOWNS, CellBreakdown, Identity, Record, read_json, testsets};
use crate::campaign::{Profile, TestSet};
use crate::exit::{Outcome, bad_input};
use crate::prices::Price;
use crate::rules::{Track, Verdict};
use crate::score::Scores;

/// The file of the command that began a run.
pub const COMMAND: &str = "command.txt";

/// A run.
#[derive(Debug)]
pub struct Run {
    /// Campaign, systems, protocol, host.
    pub identity: Identity,
    /// Sources and references, in the campaign's order.
    pub test_sets: Vec<TestSet>,
    /// All records, in the order in which they were made.
    pub records: Vec<Record>,
    /// The answers that records name: a line each source line.
    pub outputs: HashMap<String, Vec<String>>,
    /// Where the time of cells went, as their systems say.
    pub breakdowns: Vec<CellBreakdown>,
    /// Quality, as far as it was scored.
    pub scores: Scores,
    /// What the host costs, or one like it.
    pub price: Option<Price>,
    /// The command that began it.
    pub command: Option<String>,
}

/// A cell of a run, with what was measured of it.
pub struct MeasuredCell<'a> {
    /// Who.
    pub system: &'a str,
    /// On what.
    pub test_set: &'a TestSet,
    /// Under which protocol.
    pub track: Track,
    /// Its records, in the order in which they were made.
    pub records: Vec<&'a Record>,
}

impl<'a> MeasuredCell<'a> {
    /// The rounds that count.
    pub fn valid(&self) -> Vec<&'a Record> {
        self.records.iter().copied().filter(|record| record.verdict != Verdict::Invalid).collect()
    }

    /// One INVALID round is enough; NOISY is a cell with more than half of its rounds flagged.
    pub fn verdict(&self) -> Verdict {
        let count = |verdict| self.records.iter().filter(|record| record.verdict == verdict).count();
        match self.records.len() {
            _ if count(Verdict::Invalid) > 0 => Verdict::Invalid,
            rounds if 2 * count(Verdict::Noisy) > rounds => Verdict::Noisy,
            _ => Verdict::Valid,
        }
    }

    /// Their words a second.
    pub fn speeds(&self) -> Vec<f64> {
        self.valid().iter().filter_map(|record| record.words_per_second()).collect()
    }
}

impl Run {
    /// Reads the run in `folder`, finished or not.
    pub fn read(folder: &Path) -> Outcome<Self> {
        let identity = identity(folder)?;
        let path = folder.join("records.jsonl");
        let records = parse_records(&path, &read_whole_lines(&path)?)?;
        let is_strange = |record: &&Record| !identity.names(record);
        if let Some(Record { system, test_set, .. }) = records.iter().find(is_strange) {
            let told = format!("{} has a round of {system} on {test_set}", path.display());
            return Err(bad_input(format!(
                "{told}, of which run.json says nothing: one of the two was changed"
            )));
        }
        Ok(Self {
            test_sets: testsets::read(folder, &identity)?,
            outputs: outputs(folder, &records)?,
            breakdowns: read_json(&folder.join(BREAKDOWNS))?.unwrap_or_default(),
            scores: read_json(&folder.join("scores.json"))?.unwrap_or_default(),
            price: read_json(&folder.join("price.json"))?,
            command: fs::read_to_string(folder.join(COMMAND)).ok().map(|text| text.trim_end().into()),
            identity,
            records,
        })
    }

    /// The systems' names, in the campaign's order.
    pub fn systems(&self) -> Vec<&str> {
        self.identity
            .systems
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|system| system["name"].as_str())
            .collect()
    }

    /// The cells that lack rounds which its profile asks for, and how many.
    pub fn missing(&self) -> Vec<(MeasuredCell<'_>, usize)> {
        let protocol = &self.identity.protocol;
        let wanted = serde_json::from_value(protocol["profile"].clone()).map_or(0, Profile::rounds);
        let tracks: Vec<Track> = serde_json::from_value(protocol["tracks"].clone()).unwrap_or_default();
        let systems = self.systems();
        let cells = self.test_sets.iter().flat_map(|set| tracks.iter().map(move |&track| (set, track)));
        let cells =
            cells.flat_map(|(set, track)| systems.iter().map(move |&system| self.cell(system, set, track)));
        let measured = |cell: &MeasuredCell<'_>| {
            let numbers: HashSet<usize> = cell.records.iter().map(|record| record.round).collect();
            numbers.len()
        };
        let lacking = cells.map(|cell| {
            let lacks = wanted.saturating_sub(measured(&cell));
            (cell, lacks)
        });
        lacking.filter(|(_, lacks)| *lacks > 0).collect()
    }

    /// How many rounds it lacks in all.
    pub fn missing_rounds(&self) -> usize {
        self.missing().iter().map(|(_, lacks)| lacks).sum()
    }

    /// Whether two systems are one and the same program under two names: a twin, by which the noise is measured.
    pub fn are_twins(&self, a: &str, b: &str) -> bool {
        let launch = |name: &str| {
            let mut systems = self.identity.systems.as_array().into_iter().flatten();
            systems.find(|system| system["name"] == name).map(|system| (&system["launch"], &system["models"]))
        };
        a != b && launch(a).is_some() && launch(a) == launch(b)
    }

    /// The cells that have records, in the order of tables: by test set, track, system.
    pub fn cells(&self) -> Vec<MeasuredCell<'_>> {
        let tracks = |test_set| Track::ALL.into_iter().map(move |track| (test_set, track));
        let systems = self.systems();
        let pairs = self.test_sets.iter().flat_map(tracks);
        let cells =
            pairs.flat_map(|(set, track)| systems.iter().map(move |&system| self.cell(system, set, track)));
        cells.filter(|cell| !cell.records.is_empty()).collect()
    }

    fn cell<'a>(&'a self, system: &'a str, test_set: &'a TestSet, track: Track) -> MeasuredCell<'a> {
        let is_in = |record: &&Record| {
            record.system == system && record.test_set == test_set.name && record.track == track
        };
        MeasuredCell { system, test_set, track, records: self.records.iter().filter(is_in).collect() }
    }
}

/// What the run in `folder` is of.
pub(super) fn identity(folder: &Path) -> Outcome<Identity> {
    let missing = || {
        bad_input(format!(
            "{} is no run folder: it has no run.json; `dyno run` says at its end where a run lies",
            folder.display()
        ))
    };
    read_identity(folder)?.ok_or_else(missing)
}

fn outputs(folder: &Path, records: &[Record]) -> Outcome<HashMap<String, Vec<String>>> {
    let mut outputs = HashMap::new();
    for name in records.iter().filter_map(|record| record.output.as_ref()) {
        if !outputs.contains_key(name) {
            let path = folder.join("outputs").join(format!("{name}.txt"));
            outputs.insert(name.clone(), testsets::read_output(&path, name)?);
        }
    }
    Ok(outputs)
}
