//! Our side of a table: figures and answers of a run, and facts of models that need no run.

use std::collections::BTreeMap;
use std::path::Path;

use dyno_api::Task;
use dyno_measure::TestSet;
use dyno_record::{Record, Track, Verdict};
use dyno_results::summary::steady;
use dyno_results::{CellBreakdown, MeasuredCell, Run};
use dyno_stats::{Estimate, median};
use serde::Serialize;

use super::sources::{Contestant, Contestants, Coverage, Products};
use crate::tables::{Column, Point, Unit};

/// End of the names of systems that stand for another, with the gemm crate's products: a stand-in for the
/// papers' libraries, over which nothing is judged.
pub const STAND_IN: &str = " (library)";

/// End of the names of systems whose linear layers are oneDNN's, and the base of their table.
pub const ONEDNN: &str = " (oneDNN)";

/// Figures of the paper and ours, for one row and column.
#[derive(Debug, Default, Serialize)]
pub struct Pair {
    /// Figure as printed.
    pub paper: Option<f64>,
    /// Our figure where the whole instance is paid for, not a core's part of it.
    pub ours_whole: Option<f64>,
    /// Speed over that of the base, in the paper.
    pub paper_factor: Option<f64>,
    /// Our figure in the column's unit; words a second for times of a whole test set.
    pub ours: Option<f64>,
    /// Our speed over that of the base in each round that counts, by the round's number.
    #[serde(skip)]
    pub factors: BTreeMap<usize, f64>,
    /// Our speed over that of the base: median of rounds, with the least and the most.
    pub factor: Option<Estimate>,
    /// Our speed over that of the base with the products of the paper's library.
    pub over_library: Option<Estimate>,
    /// Our speed over that of the base with the stand-in's products.
    pub over_stand_in: Option<Estimate>,
}

/// Sources of our figures, as far as they exist: a campaign with its run, or products.
#[derive(Clone, Copy, Default)]
pub struct Measured<'a> {
    /// Systems of the table's campaign.
    pub contestants: Option<&'a Contestants>,
    /// Run of the campaign.
    pub run: Option<&'a Run>,
    /// Speeds of products alone.
    pub products: Option<&'a Products>,
    /// Coverage of the systems' shortlists, by the name of the system.
    pub coverage: Option<&'a BTreeMap<String, Coverage>>,
    /// Bytes of the program that runs built-in systems.
    pub program_bytes: Option<u64>,
    /// Number of this host's cores, which count where no run tells its own.
    pub cores: Option<usize>,
    /// Reason why the table's campaign can't be read on this host, such as a test set that isn't to be had.
    pub fault: Option<&'a str>,
}

/// Place of a column's figures in a run: a track, and a test set where the column has its own.
#[derive(Clone, Copy)]
struct Place<'a> {
    track: Track,
    set: Option<&'a str>,
}

impl Measured<'_> {
    /// Our figures for one column of a system, in the track and on the test set of its point or of the column.
    pub(super) fn pair(&self, column: &Column, point: &Point, system: &str, base: Option<&str>) -> Pair {
        let track = column.track.map(|track| point.track.unwrap_or(track));
        let set = point.set.as_deref().or(column.set.as_deref());
        let speeds_of = |system: &str| match track {
            Some(track) => self.speeds(system, Place { track, set }),
            None => self.turns(column.unit, system),
        };
        let speeds = speeds_of(system);
        let speed = median(&speeds.values().copied().collect::<Vec<_>>());
        let ours = match track {
            Some(track) => {
                speed.and_then(|speed| self.figure(column.unit, system, Place { track, set }, speed))
            }
            None => speed.or_else(|| self.size(column, system)),
        };
        // A core's speed pays for the whole instance, as the papers count.
        let price = self.run.and_then(|run| run.price.as_ref()).filter(|_| column.unit == Unit::Dollars);
        let over = |base: &str| ratios(&speeds, &speeds_of(base));
        let factors = base.map(over).unwrap_or_default();
        Pair {
            ours,
            ours_whole: price.zip(speed).map(|(price, speed)| price.words_per_dollar(speed) / 1e6),
            factor: spread(&factors),
            over_stand_in: base.and_then(|base| spread(&over(&format!("{base}{STAND_IN}")))),
            factors,
            ..Pair::default()
        }
    }

    /// Speeds of a product alone, by the number of the turn.
    fn turns(&self, unit: Unit, product: &str) -> BTreeMap<usize, f64> {
        let products = self.products.filter(|_| unit == Unit::GigaMacs);
        let speeds = products.and_then(|products| products.speeds.get(product));
        speeds.into_iter().flatten().copied().enumerate().collect()
    }

    /// Our figure of a speed, in words a second.
    fn figure(&self, unit: Unit, system: &str, place: Place<'_>, speed: f64) -> Option<f64> {
        match unit {
            Unit::Words | Unit::Seconds => Some(speed),
            Unit::Milliseconds => {
                let cell = self.cell(system, place)?;
                let lines = cell.test_set.source.len() as f64;
                Some(cell.test_set.words() as f64 / speed / lines * 1e3)
            }
            Unit::Dollars => Some(self.run?.price.as_ref()?.words_per_dollar_pro_rata(speed, 1) / 1e6),
            _ => None,
        }
    }

    /// The built-in backend of a system.
    pub(super) fn backend(&self, system: &str) -> Option<String> {
        self.contestant(system)?.backend.clone()
    }

    /// Words a second of each round that counts. The throughput tracks count without loading, since drawn
    /// models are converted from f32 at each start.
    fn speeds(&self, system: &str, place: Place<'_>) -> BTreeMap<usize, f64> {
        let speed = |record: &&Record| match place.track.answers_lines() {
            true => record.words_per_second(),
            false => steady(record),
        };
        let records = self.cell(system, place).map(|cell| quotable(&cell)).unwrap_or_default();
        records.iter().filter_map(|record| Some((record.round, speed(record)?))).collect()
    }

    /// Cells of a system in the run.
    pub(super) fn cells_of(&self, system: &str) -> Vec<MeasuredCell<'_>> {
        self.run.into_iter().flat_map(Run::cells).filter(|cell| cell.system == system).collect()
    }

    fn cell(&self, system: &str, place: Place<'_>) -> Option<MeasuredCell<'_>> {
        let has_set = |cell: &MeasuredCell<'_>| place.set.is_none_or(|set| cell.test_set.is_of(set));
        self.cells_of(system).into_iter().find(|cell| cell.track == place.track && has_set(cell))
    }

    /// Size of the system's weights in the column's unit, or the number of its parameters.
    fn size(&self, column: &Column, system: &str) -> Option<f64> {
        let contestant = self.contestant(system)?;
        let of_network = contestant.drawn_bytes.filter(|_| contestant.reads_f32 || !column.stored);
        let bytes = of_network.or_else(|| self.stored_bytes(system))? as f64;
        match column.unit {
            Unit::Millions => Some(bytes / size_of::<f32>() as f64 / 1e6),
            Unit::Mebibytes => Some(bytes / f64::from(1 << 20)),
            Unit::Megabytes => Some(bytes / 1e6),
            _ => None,
        }
    }

    /// Bytes of the files of weights that the system has opened in the run.
    fn stored_bytes(&self, system: &str) -> Option<u64> {
        let is_weights =
            |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("weights."));
        let files = self.record(system)?.facts.as_ref()?.files.iter().filter(|file| is_weights(&file.path));
        Some(files.map(|file| file.bytes).sum()).filter(|bytes| *bytes > 0)
    }

    fn contestant(&self, system: &str) -> Option<&Contestant> {
        self.contestants?.systems.iter().find(|found| found.name == system)
    }

    /// What a system counted of its work in the last round that counts.
    pub(super) fn counts(&self, system: &str) -> BTreeMap<String, u64> {
        let facts = self.record(system).and_then(|record| record.facts.as_ref());
        facts.map(|facts| facts.counts.clone()).unwrap_or_default()
    }

    /// Number of lines of a system's test set.
    pub(super) fn lines(&self, system: &str) -> Option<usize> {
        Some(self.cells_of(system).first()?.test_set.source.len())
    }

    /// Bytes of the program, and of the files that the system has opened in the run.
    pub(super) fn image_bytes(&self, system: &str) -> Option<u64> {
        let files = &self.record(system)?.facts.as_ref()?.files;
        Some(self.program_bytes? + files.iter().map(|file| file.bytes).sum::<u64>())
    }

    /// Coverage of a system's shortlist.
    pub(super) fn coverage(&self, system: &str) -> Option<Coverage> {
        self.coverage?.get(system).copied()
    }

    /// A round of a system that counts.
    fn record(&self, system: &str) -> Option<&Record> {
        quotable(self.cells_of(system).first()?).first().copied()
    }

    /// Breakdown of a system's time on a test set, as the system accounts for it.
    pub(super) fn time(&self, system: &str, set: Option<&str>) -> Option<&CellBreakdown> {
        let run = self.run?;
        let is_wanted = |there: &&TestSet| set.is_none_or(|set| there.is_of(set));
        let has_set = |name: &str| run.test_sets.iter().filter(is_wanted).any(|there| there.name == name);
        run.breakdowns.iter().find(|told| told.system == system && has_set(&told.test_set))
    }

    /// Share of lines that two systems of one model translate alike; vectors of encoders are no lines.
    pub(super) fn same_lines(&self, system: &str, base: &str) -> Option<f64> {
        let run = self.run?;
        let encodes =
            |name: &str| run.identity.system(name).is_some_and(|system| system.task == Some(Task::Encode));
        let is_encoder = |name: &str| self.backend(name).is_some_and(|backend| backend == "encoder");
        if [system, base].iter().any(|name| encodes(name) || is_encoder(name)) {
            return None;
        }
        let models = |name: &str| run.identity.system(name).map(|system| &system.models);
        models(system).filter(|found| Some(*found) == models(base))?;
        let answers = |name: &str| {
            let cells =
                Track::ALL.iter().filter_map(|track| self.cell(name, Place { track: *track, set: None }));
            let output = cells.filter(is_quotable).find_map(|cell| run.scored_output(&cell));
            run.outputs.get(output?)
        };
        let (ours, theirs) = (answers(system)?, answers(base)?);
        let same = ours.iter().zip(theirs).filter(|(ours, theirs)| ours == theirs).count();
        Some(same as f64 / theirs.len().max(1) as f64)
    }

    /// BLEU of a system with trained models, where the test set has references.
    pub(super) fn bleu(&self, system: &str) -> Option<f64> {
        let (output, set) = self.trained_output(system)?;
        self.run?.scores.quality("bleu", &output, &set).map(|quality| quality.score)
    }

    /// BLEU of a system over that of its base, with the interval of the bootstrap over lines.
    pub(super) fn bleu_gain(&self, system: &str, base: &str) -> Option<Estimate> {
        let ((ours, set), (theirs, _)) = (self.trained_output(system)?, self.trained_output(base)?);
        if ours == theirs {
            return Some(Estimate::exactly(0.0));
        }
        let found = self.run?.scores.difference("bleu", &ours, &theirs, &set)?;
        Some(Estimate { value: found.difference, low: found.low, high: found.high })
    }

    /// Output of a system with trained models, and the name of its test set.
    fn trained_output(&self, system: &str) -> Option<(String, String)> {
        let drawn = self.contestant(system).is_none_or(|known| known.drawn_bytes.is_some());
        let cell = self.cells_of(system).into_iter().find(|_| !drawn)?;
        let output = self.run?.scored_output(&cell).filter(|_| is_quotable(&cell))?;
        Some((output.clone(), cell.test_set.name.clone()))
    }
}

/// Whether the figures of a cell may be quoted: none of an INVALID one, whichever of its rounds broke a rule.
fn is_quotable(cell: &MeasuredCell<'_>) -> bool {
    cell.verdict() != Verdict::Invalid
}

/// Rounds of a cell that count.
fn quotable<'a>(cell: &MeasuredCell<'a>) -> Vec<&'a Record> {
    if is_quotable(cell) { cell.valid() } else { Vec::new() }
}

/// Factors in speed by pairs of rounds: rounds of one number were measured near each other.
pub(super) fn ratios(speeds: &BTreeMap<usize, f64>, base: &BTreeMap<usize, f64>) -> BTreeMap<usize, f64> {
    speeds.iter().filter_map(|(round, speed)| Some((*round, speed / base.get(round)?))).collect()
}

/// Median of rounds, with the least and the most.
pub(super) fn spread(rounds: &BTreeMap<usize, f64>) -> Option<Estimate> {
    let values: Vec<f64> = rounds.values().copied().collect();
    let (low, high) = (values.iter().copied().reduce(f64::min)?, values.iter().copied().reduce(f64::max)?);
    Some(Estimate { value: median(&values)?, low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_pair_rounds_of_one_number() {
        let rounds = |speeds: &[(usize, f64)]| speeds.iter().copied().collect::<BTreeMap<_, _>>();
        let (base, faster) =
            (rounds(&[(0, 1.0), (1, 2.0), (2, 4.0)]), rounds(&[(0, 2.0), (2, 12.0), (3, 9.0)]));
        let ratio = spread(&ratios(&faster, &base)).unwrap();
        assert_eq!((ratio.low, ratio.value, ratio.high), (2.0, 2.5, 3.0));
        assert!(spread(&ratios(&faster, &rounds(&[(7, 1.0)]))).is_none());
    }
}
