//! A run in memory, from which tables, comparisons and reports start. A run grows round by round while it is
//! measured, or is read whole from its folder.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use dyno_api::{Breakdown, files};
use dyno_measure::{Cell, Code, Measured, Reason, Record, Round, TestSet, Track, Verdict};
use dyno_record::Identity;
use dyno_record::rules::limits::MOST_UNLIKE;
use itertools::Itertools;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::prices::Price;
use crate::scores::{Metric, Metrics, Scale, Scores, Standard};
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

    /// Verdict on the cell: INVALID with one INVALID round, or with rounds of unlike quality; NOISY with more than half of the rounds NOISY.
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
            return Err(Error::Input(format!(
                "{} has a round of {system} on {test_set}, which run.json doesn't list: one of the two files was \
                 changed",
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
        self.records.iter().any(|record| record.is_of(round) && record.round == round.number)
    }

    /// UTC day of the first round, as in 2026-11-21.
    pub fn day(&self) -> Option<String> {
        day(self.records.iter().map(|record| record.started_unix_ms).min()?)
    }

    /// Hash of the answers of `cell` that are scored: the worst of its rounds by the first metric. A system can't be
    /// good in one round and quick in the others: the quality is one that each round has at least.
    pub fn scored_output<'a>(&self, cell: &MeasuredCell<'a>) -> Option<&'a String> {
        self.by_quality(&cell.test_set.name, &cell.valid()).first().copied()
    }

    /// Different outputs of `rounds`, the worst first. An output without a score is worse than any with one.
    fn by_quality<'a>(&self, test_set: &str, rounds: &[&'a Record]) -> Vec<&'a String> {
        let scale = self.first_scale(test_set);
        let gain = |output: &String| {
            let quality = self.scores.quality(&scale.name, output, test_set);
            quality.map_or(f64::NEG_INFINITY, |quality| scale.gain(quality.score))
        };
        let outputs = rounds.iter().filter_map(|record| record.output.as_ref()).unique();
        outputs.sorted_by(|a, b| gain(a).total_cmp(&gain(b))).collect()
    }

    /// Fault of rounds whose texts differ in quality by more than lines drawn anew explain. It holds for systems
    /// that draw their answers at random, too.
    fn unlike(&self, test_set: &str, rounds: &[&Record]) -> Option<Reason> {
        let outputs = self.by_quality(test_set, rounds);
        let [worst, .., best] = outputs[..] else { return None };
        let scale = self.first_scale(test_set);
        let pair = self.scores.difference(&scale.name, best, worst, test_set)?;
        let score = |output: &String| self.scores.quality(&scale.name, output, test_set).map(|it| it.score);
        let (low, high) = (score(worst)?, score(best)?);
        let half = (pair.high - pair.low) / 2.0;
        (pair.difference.abs() > MOST_UNLIKE * half).then(|| Reason {
            code: Code::Nondeterministic,
            figure: format!(
                "{} in one round, {} in another",
                scale.titled(low, None),
                scale.titled(high, None)
            ),
            limit: format!("scores of rounds within {MOST_UNLIKE} times half of their difference's interval"),
            remedy: "translate alike in all rounds; measure two ways of translating under two names".into(),
        })
    }

    /// Scales of the metrics that suit a test set of the run, in the order of the list. Metrics that only
    /// `scores.json` knows follow.
    pub fn scales(&self) -> Vec<Scale> {
        let mut scales: Vec<Scale> = self.metrics.list.iter().map(|metric| self.scale_of(metric)).collect();
        let texts = self.scores.texts.values().flat_map(BTreeMap::values);
        let scored: BTreeSet<&String> = texts.flat_map(BTreeMap::keys).collect();
        for name in scored {
            if !scales.iter().any(|known| known.name == *name) {
                scales.push(self.scores.scale(name).cloned().unwrap_or_else(|| Scale::unknown(name)));
            }
        }
        scales.retain(|scale| self.test_sets.iter().any(|set| scale.suits(set)));
        scales
    }

    /// Scales of the metrics that suit `set`, the frontier's first.
    pub fn scales_of(&self, set: &TestSet) -> Vec<Scale> {
        self.scales().into_iter().filter(|scale| scale.suits(set)).collect()
    }

    /// Scale of the frontier's metric on the test set of that name.
    pub fn first_scale(&self, test_set: &str) -> Scale {
        let set = self.test_sets.iter().find(|set| set.name == test_set);
        let own = set.into_iter().flat_map(|set| self.scales_of(set)).next();
        own.unwrap_or_else(|| Standard::Bleu.scale())
    }

    fn scale_of(&self, metric: &Metric) -> Scale {
        let told = || self.scores.scale(metric.name()).cloned();
        metric.scale().or_else(told).unwrap_or_else(|| Scale::unknown(metric.name()))
    }

    /// Names of the systems, in the campaign's order.
    pub fn systems(&self) -> Vec<&str> {
        self.identity.systems.iter().map(|system| system.name.as_str()).collect()
    }

    /// Cells with fewer rounds than the profile asks for, each with the number of missing rounds. A shard
    /// lacks only rounds of its own groups.
    pub fn missing(&self) -> Vec<(MeasuredCell<'_>, usize)> {
        let protocol = &self.identity.protocol;
        let of_set = |set| protocol.tracks.iter().map(move |&track| (set, track));
        let groups = self.test_sets.iter().flat_map(of_set).enumerate();
        let own = groups.filter(|(i, _)| protocol.shard.is_none_or(|shard| shard.holds(*i)));
        let index = self.index();
        let cells = own.flat_map(|(_, (set, track))| {
            let own = self.identity.systems.iter().filter(|system| system.takes_part(track));
            own.map(|system| index.cell(&system.name, set, track)).collect::<Vec<_>>()
        });
        let measured = |cell: &MeasuredCell<'_>| {
            let numbers: HashSet<usize> = cell.records.iter().map(|record| record.round).collect();
            numbers.len()
        };
        let lacking = cells.map(|cell| {
            let lacks = protocol.profile.rounds().saturating_sub(measured(&cell));
            (cell, lacks)
        });
        lacking.filter(|(_, lacks)| *lacks > 0).collect()
    }

    /// Number of missing rounds of all cells.
    pub fn missing_rounds(&self) -> usize {
        self.missing().iter().map(|(_, lacks)| lacks).sum()
    }

    /// Whether two systems are the same program under two names: twins, which measure the noise.
    pub fn are_twins(&self, a: &str, b: &str) -> bool {
        let both = self.identity.system(a).zip(self.identity.system(b));
        a != b && both.is_some_and(|(a, b)| a.is_same_program(b))
    }

    /// Cells with records, in the order of tables: by test set, track, system.
    pub fn cells(&self) -> Vec<MeasuredCell<'_>> {
        let tracks = |test_set| Track::ALL.into_iter().map(move |track| (test_set, track));
        let (systems, index) = (self.systems(), self.index());
        let pairs = self.test_sets.iter().flat_map(tracks);
        let cells = pairs.flat_map(|(set, track)| {
            systems.iter().map(|system| index.cell(system, set, track)).collect::<Vec<_>>()
        });
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
    let mut outputs = HashMap::new();
    for name in records.iter().filter_map(|record| record.output.as_ref()) {
        if !outputs.contains_key(name) {
            outputs.insert(name.clone(), texts::text_lines(&texts::read_output(folder, name)?));
        }
    }
    Ok(outputs)
}
/// UTC day of a moment in milliseconds since 1970, as in 2026-11-21.
pub fn day(unix_ms: u64) -> Option<String> {
    let moment = jiff::Timestamp::from_millisecond(i64::try_from(unix_ms).ok()?).ok()?;
    Some(moment.strftime("%Y-%m-%d").to_string())
}
