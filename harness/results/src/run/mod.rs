//! A run in memory, from which tables, comparisons and reports start. A run grows round by round while it is
//! measured, or is read whole from its folder.

pub mod cells;
mod quality;

use std::collections::HashMap;
use std::path::Path;

use dyno_api::{Breakdown, files};
use dyno_measure::{Cell, Measured, Round, TestSet};
use dyno_record::{Identity, Record, Track};
use dyno_stats::median;
use itertools::Itertools;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::prices::Price;
use crate::scores::{Metrics, Scores};
use crate::store::files::read_json;
use crate::store::folder::read_identity;
use crate::store::journal::{RECORDS, read_records};
use crate::store::texts;

/// File of the command that began a run.
pub const COMMAND: &str = "command.txt";
pub(crate) const BREAKDOWNS: &str = "breakdowns.json";
pub(crate) const METRICS: &str = "metrics.json";
pub(crate) const SCORES: &str = "scores.json";
pub(crate) const PRICE: &str = "price.json";

/// A run in memory.
#[derive(Debug)]
pub struct Run {
    /// Identity: campaign, systems, protocol, host.
    pub identity: Identity,
    /// Test sets, in the campaign's order.
    pub test_sets: Vec<TestSet>,
    /// Records of all rounds, in the order of measurement.
    pub records: Vec<Record>,
    /// Answers by the hash in the records: one line for each source line.
    pub outputs: HashMap<String, Vec<String>>,
    /// Breakdowns of time, as the systems account for it.
    pub breakdowns: Vec<CellBreakdown>,
    /// Metrics that the outputs are scored by, the frontier's first.
    pub metrics: Metrics,
    /// Scores of the outputs, as far as they exist.
    pub scores: Scores,
    /// Price of the host, or of one like it.
    pub price: Option<Price>,
    /// Command that began the run.
    pub command: Option<String>,
}

/// Breakdown of one cell's time, as its system accounts for it: a row of `breakdowns.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellBreakdown {
    /// Name of the system.
    pub system: String,
    /// Name of the test set.
    pub test_set: String,
    /// Track of the cell.
    pub track: Track,
    /// Nanoseconds of each part, over all workers.
    pub breakdown: Breakdown,
}

impl CellBreakdown {
    /// Whether the breakdown is of `cell`.
    pub fn is_of(&self, cell: &Cell<'_>) -> bool {
        self.system == cell.system.name && self.test_set == cell.test_set.name && self.track == cell.track
    }
}

impl Run {
    /// A run without records.
    pub fn new(identity: Identity, test_sets: Vec<TestSet>) -> Self {
        Self {
            identity,
            test_sets,
            records: Vec::new(),
            outputs: HashMap::new(),
            breakdowns: Vec::new(),
            metrics: Metrics::default(),
            scores: Scores::default(),
            price: None,
            command: None,
        }
    }

    /// Reads the run in `folder`, finished or not.
    pub fn read(folder: &Path) -> Result<Self> {
        let identity = identity_in(folder)?;
        check_names(folder, &identity)?;
        let (path, price) = (folder.join(RECORDS), price_in(folder)?);
        let records = read_records(&path)?;
        let is_strange = |record: &&Record| !identity.names(&record.system, &record.test_set);
        if let Some(Record { system, test_set, .. }) = records.iter().find(is_strange) {
            return Err(Error::changed(format_args!(
                "{} has a round of {system} on {test_set}, which run.json doesn't list",
                path.display()
            )));
        }
        Ok(Self {
            test_sets: texts::read(folder, &identity)?,
            outputs: outputs(folder, &records)?,
            breakdowns: read_json(&folder.join(BREAKDOWNS))?.unwrap_or_default(),
            metrics: read_json(&folder.join(METRICS))?.unwrap_or_default(),
            scores: read_json(&folder.join(SCORES))?.unwrap_or_default(),
            price,
            command: files::read_to_string(&folder.join(COMMAND)).ok().map(|text| text.trim_end().into()),
            identity,
            records,
        })
    }

    /// Adds a measured round.
    pub fn add(&mut self, measured: Measured) {
        let Measured { record, answers } = measured;
        if let Some(output) = &record.output {
            let text = |line: &Vec<u8>| String::from_utf8_lossy(line).into_owned();
            self.outputs.entry(output.clone()).or_insert_with(|| answers.iter().map(text).collect());
        }
        self.records.push(record);
    }

    /// Whether `round` has been measured.
    pub fn has(&self, round: &Round<'_>) -> bool {
        self.records.iter().any(|record| round.has(record) && record.round == round.number)
    }

    /// Median of the pipe floors, in microseconds. Each start of the bench measures one, so that a resumed run has
    /// several.
    pub fn pipe_floor_us(&self) -> Option<f64> {
        let floors = self.records.iter().filter_map(|record| Some(record.pipe_floor_ns? as f64 / 1e3));
        median(&floors.collect::<Vec<_>>())
    }

    /// UTC day of the first round, as in 2026-11-21.
    pub fn day(&self) -> Option<String> {
        day(self.records.iter().map(|record| record.started_unix_ms).min()?)
    }

    /// Names of the systems, in the campaign's order.
    pub fn systems(&self) -> Vec<&str> {
        self.identity.systems.iter().map(|system| system.name.as_str()).collect()
    }

    /// Whether two systems are the same program under two names: twins, which measure the noise.
    pub fn are_twins(&self, a: &str, b: &str) -> bool {
        let both = self.identity.system(a).zip(self.identity.system(b));
        a != b && both.is_some_and(|(a, b)| a.is_same_program(b))
    }
}

pub(crate) fn identity_in(folder: &Path) -> Result<Identity> {
    read_identity(folder)?.ok_or_else(|| Error::not_a_run(folder))
}

/// Refuses names with control characters, which campaigns refuse too: one name could pretend to be two rows.
fn check_names(folder: &Path, identity: &Identity) -> Result<()> {
    let systems = identity.systems.iter().map(|system| system.name.as_str());
    let mut names = systems.chain(identity.test_sets.iter().map(|(name, ..)| name.as_str()));
    match names.find(|name| name.contains(char::is_control)) {
        Some(name) => {
            let file = folder.join("run.json").display().to_string();
            Err(Error::changed(format_args!("{file} has the name {name:?}, with control characters")))
        }
        None => Ok(()),
    }
}

fn price_in(folder: &Path) -> Result<Option<Price>> {
    let path = folder.join(PRICE);
    let price: Option<Price> = read_json(&path)?;
    match price.as_ref().and_then(Price::fault) {
        Some(fault) => Err(Error::Input(format!(
            "{}: {fault}; remove the file, and `dyno score --price` writes another",
            path.display()
        ))),
        None => Ok(price),
    }
}

fn outputs(folder: &Path, records: &[Record]) -> Result<HashMap<String, Vec<String>>> {
    let names = records.iter().filter_map(|record| record.output.as_ref()).unique();
    names.map(|name| Ok((name.clone(), texts::text_lines(&texts::read_output(folder, name)?)))).collect()
}

/// UTC day of a moment in milliseconds since 1970, as in 2026-11-21.
pub fn day(unix_ms: u64) -> Option<String> {
    let moment = jiff::Timestamp::from_millisecond(i64::try_from(unix_ms).ok()?).ok()?;
    Some(moment.strftime("%Y-%m-%d").to_string())
}
