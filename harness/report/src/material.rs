//! Material of a report: the part of a run that readers of the page see.
//!
//! All measurements are here, with the comparisons that `dyno-results` made. Verdicts for the reader follow
//! in `view`.

use std::collections::HashMap;

use dyno_api::Breakdown;

use super::charts::Family;
use dyno_measure::Host;
use dyno_measure::Profile;
use dyno_measure::noise::repeats::OftenRepeated;
use dyno_measure::{Reason, Served, Track, Verdict};
use dyno_results::prices::Price;
use dyno_results::scores::{Scale, Standard};
use dyno_results::summary::judge::{Duel, is_echo};
use dyno_results::{CellSummary, Column};
use dyno_stats::Estimate;
use dyno_stats::{Order, Standing};

/// A run, as a page needs it.
#[derive(Clone, Debug)]
pub struct Material {
    /// Name of the campaign.
    pub campaign: String,
    /// Key of the run.
    pub key: String,
    /// Profile of the run.
    pub profile: Profile,
    /// UTC day of the first round.
    pub date: Option<String>,
    /// Machine of the run.
    pub host: Host,
    /// Systems, in the campaign's order.
    pub systems: Vec<System>,
    /// Test sets.
    pub sets: Vec<Set>,
    /// Different outputs of all systems, a list of lines each. Cells hold an index, since most tracks give
    /// the same.
    pub outputs: Vec<Vec<String>>,
    /// Price of the host, or of a similar instance.
    pub price: Option<Price>,
    /// Load of other programs on the host, where it was watched.
    pub load: Option<Load>,
    /// Time of a line between two processes that do nothing else, in microseconds.
    pub pipe_floor_us: Option<f64>,
    /// Different results of network isolation: "isolated", or the reason for a shared network.
    pub networks: Vec<String>,
    /// Different results of the sandbox: "bwrap", or the reason why there was none.
    pub sandboxes: Vec<String>,
    /// Pairs of systems that another metric ranks the other way than the first, each in a sentence.
    pub disagreements: Vec<String>,
    /// Systems of different engines on one model: the test set, and what differs in a sentence.
    pub same_weights: Vec<(String, String)>,
    /// Noise floor of each track where it was measured, as a share: smaller differences are noise.
    pub noise_floor: Vec<(Track, f64)>,
}

/// Load of other programs on the host: the greatest of all rounds that count.
#[derive(Clone, Debug)]
pub struct Load {
    /// Share of time that the hypervisor took.
    pub steal: f64,
    /// Share of the chosen cores that other programs took.
    pub foreign: f64,
    /// Number of disturbed rounds that were measured again.
    pub repeated: usize,
    /// Systems whose rounds were repeated far more often than those of the others.
    pub often_repeated: Vec<OftenRepeated>,
}

/// A system of the campaign.
#[derive(Clone, Debug)]
pub struct System {
    /// Name of the system.
    pub name: String,
    /// Family of its engine.
    pub family: Family,
    /// Whether the system is an earlier one under a second name, entered to measure the noise.
    pub is_twin: bool,
    /// Name of the sweep that the system is a part of.
    pub sweep: Option<String>,
    /// Whether the system uses fewer cores than the campaign allows.
    pub fewer_cores: bool,
    /// Settings that were varied, with their names.
    pub settings: Vec<(String, String)>,
    /// Names of the models.
    pub models: Vec<String>,
    /// Command of each track.
    pub commands: Vec<(Track, Vec<String>)>,
}

/// A test set with all cells on it.
#[derive(Clone, Debug)]
pub struct Set {
    /// Name of the test set.
    pub name: String,
    /// SHA-256 of source and references.
    pub sha256: String,
    /// Source lines; empty if the run lacks them.
    pub source: Vec<String>,
    /// References, a list of lines each.
    pub references: Vec<Vec<String>>,
    /// Number of lines.
    pub lines: usize,
    /// Number of source words.
    pub words: usize,
    /// Scales of the quality metrics, the frontier's first.
    pub metrics: Vec<Scale>,
    /// Signatures of the quality metrics.
    pub signatures: Vec<String>,
    /// Cells on this test set.
    pub cells: Vec<Cell>,
    /// Order of two systems in quality by the paired bootstrap: the first against the second.
    pub orders: HashMap<(usize, usize), Order>,
    /// Comparison of two systems by pairs of rounds: the first against the second.
    pub duels: HashMap<(Measure, usize, usize), Duel>,
}

/// A figure of rounds by which systems are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Words a second under a track.
    Speed(Track),
    /// 95th percentile of latency under a track.
    P95(Track),
}

/// A system on a test set under a track.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Index of the system.
    pub system: usize,
    /// Row of the summary.
    pub row: CellSummary,
    /// Track of the cell.
    pub track: Track,
    /// Verdict on the cell: only VALID cells may be quoted.
    pub verdict: Verdict,
    /// Standing on the frontier of its test set and track; absent for a cell that may not stand there.
    pub standing: Option<Standing>,
    /// Reasons of the verdict.
    pub reasons: Vec<Reason>,
    /// Warnings that leave the verdict as it is.
    pub warnings: Vec<Reason>,
    /// Number of cores of the system.
    pub cores: usize,
    /// Track server: the round of the median rate.
    pub served: Option<Served>,
    /// Percentiles of latency in ms: 50, 90, 95, 99.
    pub percentiles_ms: [Option<Estimate>; 4],
    /// Latency of each line in ms, median over rounds, in source order.
    pub latency_ms: Vec<f64>,
    /// Quality by each metric, the frontier's first.
    pub quality: Vec<Option<Estimate>>,
    /// Index of the output.
    pub output: Option<usize>,
    /// Breakdown of its time, as the system accounts for it.
    pub breakdown: Option<Breakdown>,
}

impl Cell {
    /// Quality by the first metric, the frontier's.
    pub fn first_quality(&self) -> Option<Estimate> {
        self.quality.first().copied().flatten()
    }

    /// Figure of a column. Percentiles of latency have intervals over rounds here; the price of the used cores
    /// is left out on a whole instance, where both prices are the same.
    pub fn figure(&self, column: Column) -> Option<Estimate> {
        let of_row = |column: Column| column.figure(&self.row);
        match column {
            Column::P50 => self.percentiles_ms[0],
            Column::P95 => self.percentiles_ms[2],
            Column::P99 => self.percentiles_ms[3],
            Column::ProRata => of_row(column).filter(|own| Some(*own) != of_row(Column::Dollars)),
            _ => of_row(column),
        }
    }

    /// Fit of latency over source words: fixed cost and cost of a word in ms.
    pub fn fit_ms(&self) -> Option<(f64, f64)> {
        self.row.line_ms.zip(self.row.word_ms)
    }
}

impl Set {
    /// Scale of the frontier's metric.
    pub fn scale(&self) -> Scale {
        self.metrics.first().cloned().unwrap_or_else(|| Standard::Bleu.scale())
    }

    /// The cell of a system under a track.
    pub fn cell(&self, system: usize, track: Track) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.system == system && cell.track == track)
    }

    /// Quality of a system: the worst of its tracks.
    pub fn quality(&self, system: usize) -> Option<Estimate> {
        let own = self.cells.iter().filter(|cell| cell.system == system && cell.verdict != Verdict::Invalid);
        let gain = |quality: &Estimate| self.scale().gain(quality.value);
        own.filter_map(Cell::first_quality).min_by(|a, b| gain(a).total_cmp(&gain(b)))
    }

    /// Order of systems `a` and `b` in quality; by their intervals where no paired test was made.
    pub fn quality_order(&self, a: usize, b: usize) -> Order {
        if let Some(order) = self.orders.get(&(a, b)) {
            return *order;
        }
        match (self.quality(a), self.quality(b)) {
            (Some(a), Some(b)) => self.scale().order_of(&a, &b),
            _ => Order::Unclear,
        }
    }

    /// Index of a system's output: that of its first valid cell.
    pub fn output(&self, system: usize) -> Option<usize> {
        let own = self.cells.iter().filter(|cell| cell.system == system && cell.verdict != Verdict::Invalid);
        own.filter_map(|cell| cell.output).next()
    }

    /// Whether a system returns the source, as null systems and `cat` do: a yardstick of the path, no
    /// translator.
    pub fn is_yardstick(&self, system: usize, outputs: &[Vec<String>]) -> bool {
        let output = self.output(system).and_then(|output| outputs.get(output));
        output.is_some_and(|answers| is_echo(self.source.iter().map(String::as_bytes), answers))
    }
}
