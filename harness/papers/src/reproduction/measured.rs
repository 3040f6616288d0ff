//! Our side of a table: figures of a run, and facts of models that need no run.

use std::collections::BTreeMap;
use std::path::Path;

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
pub(super) struct Place<'a> {
    pub(super) track: Track,
    pub(super) set: Option<&'a str>,
}

impl Measured<'_> {
    /// Our figures for one column of a system, in the track and on the test set of its point or of the column.
    pub(super) fn pair(&self, column: &Column, point: &Point, system: &str, base: Option<&str>) -> Pair {
        let Some(track) = column.track.map(|track| point.track.unwrap_or(track)) else {
            return match column.unit {
                Unit::GigaMacs => self.product(system, base),
                Unit::Megabytes | Unit::Mebibytes | Unit::Millions => {
                    Pair { ours: self.size(column, system), ..Pair::default() }
                }
                _ => Pair::default(),
            };
        };
        let place = Place { track, set: point.set.as_deref().or(column.set.as_deref()) };
        let speeds = self.speeds(system, place);
        let speed = median(&speeds.values().copied().collect::<Vec<_>>());
        // A core's speed pays for the whole instance, as the papers count.
        let price = self.run.and_then(|run| run.price.as_ref()).filter(|_| column.unit == Unit::Dollars);
        let over = |base: &str| ratios(&speeds, &self.speeds(base, place));
        let factors = base.map(over).unwrap_or_default();
        Pair {
            ours: speed.and_then(|speed| self.figure(column.unit, system, place, speed)),
            ours_whole: price.zip(speed).map(|(price, speed)| price.words_per_dollar(speed) / 1e6),
            factor: spread(&factors),
            over_stand_in: base.and_then(|base| spread(&over(&format!("{base}{STAND_IN}")))),
            factors,
            ..Pair::default()
        }
    }

    fn product(&self, point: &str, base: Option<&str>) -> Pair {
        let turns = |name: &str| {
            let speeds = self.products?.speeds.get(name)?;
            Some(speeds.iter().copied().enumerate().collect::<BTreeMap<_, _>>())
        };
        let Some(speeds) = turns(point) else { return Pair::default() };
        let factors = base.and_then(|base| Some(ratios(&speeds, &turns(base)?))).unwrap_or_default();
        let ours = median(&speeds.values().copied().collect::<Vec<_>>());
        Pair { ours, factor: spread(&factors), factors, ..Pair::default() }
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

    pub(super) fn cell(&self, system: &str, place: Place<'_>) -> Option<MeasuredCell<'_>> {
        let is_it = |cell: &MeasuredCell<'_>| cell.system == system && cell.track == place.track;
        let has_set = |cell: &MeasuredCell<'_>| place.set.is_none_or(|set| cell.test_set.is_of(set));
        self.run?.cells().into_iter().find(|cell| is_it(cell) && has_set(cell))
    }

    /// Size of the system's weights in the column's unit, or the number of its parameters.
    fn size(&self, column: &Column, system: &str) -> Option<f64> {
        let contestant = self.contestant(system)?;
        let of_network = contestant.drawn_bytes.filter(|_| contestant.reads_f32 || !column.stored);
        let bytes = of_network.or_else(|| self.stored_bytes(system))? as f64;
        Some(match column.unit {
            Unit::Millions => bytes / size_of::<f32>() as f64 / 1e6,
            Unit::Mebibytes => bytes / f64::from(1 << 20),
            _ => bytes / 1e6,
        })
    }

    /// Bytes of the files of weights that the system has opened in the run.
    fn stored_bytes(&self, system: &str) -> Option<u64> {
        let is_weights =
            |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("weights."));
        let files = self.record(system)?.facts.as_ref()?.files.iter().filter(|file| is_weights(&file.path));
        Some(files.map(|file| file.bytes).sum()).filter(|bytes| *bytes > 0)
    }

    pub(super) fn contestant(&self, system: &str) -> Option<&Contestant> {
        self.contestants?.systems.iter().find(|found| found.name == system)
    }

    /// What a system counted of its work in the last round that counts.
    pub(super) fn counts(&self, system: &str) -> BTreeMap<String, u64> {
        let facts = self.record(system).and_then(|record| record.facts.as_ref());
        facts.map(|facts| facts.counts.clone()).unwrap_or_default()
    }

    /// Number of lines of a system's test set.
    pub(super) fn lines(&self, system: &str) -> Option<usize> {
        let cells = self.run?.cells();
        Some(cells.iter().find(|cell| cell.system == system)?.test_set.source.len())
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
        let cell = self.run?.cells().into_iter().find(|cell| cell.system == system)?;
        quotable(&cell).first().copied()
    }

    /// Breakdown of a system's time on a test set, as the system accounts for it.
    pub(super) fn time(&self, system: &str, set: Option<&str>) -> Option<&CellBreakdown> {
        let run = self.run?;
        let is_wanted = |there: &&TestSet| set.is_none_or(|set| there.is_of(set));
        let has_set = |name: &str| run.test_sets.iter().filter(is_wanted).any(|there| there.name == name);
        run.breakdowns.iter().find(|told| told.system == system && has_set(&told.test_set))
    }
}

/// Whether the figures of a cell may be quoted: none of an INVALID one, whichever of its rounds broke a rule.
pub(super) fn is_quotable(cell: &MeasuredCell<'_>) -> bool {
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
