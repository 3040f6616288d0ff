//! Why a cell is where it is: where its time goes, how near it came to a rule, and which systems stand beside it.
//!
//! Standings, orders and ratios are those of the [`Summary`]; this module only picks what concerns one cell.

mod cpu;
mod margins;
mod neighbours;

use dyno_record::Record;
use dyno_stats::median;

use crate::run::Run;
use crate::run::cells::MeasuredCell;
use crate::summary::Summary;
use crate::summary::cell::CellSummary;
pub use cpu::CpuTime;
pub use margins::Margin;
pub use neighbours::{Neighbour, Neighbours};

/// What there is to say about one cell.
#[derive(Clone, Debug)]
pub struct Explanation<'a> {
    /// Row of the cell.
    pub row: &'a CellSummary,
    /// Median number of words of the test set's lines, or of its pages in the track pages.
    pub typical_words: f64,
    /// Median over rounds: cores that the system kept busy while its launches ran; throughput tracks alone.
    pub busy_cores: Option<f64>,
    /// CPU time where it is notable.
    pub cpu: Option<CpuTime>,
    /// Median over rounds: milliseconds that a line takes in the pipes alone; lock-step alone.
    pub pipe_ms: Option<f64>,
    /// Figures against the limits of the rules, the nearest first.
    pub margins: Vec<Margin>,
    /// Systems beside it.
    pub neighbours: Neighbours<'a>,
}

/// Explanations of the cells of `system`, in the order of the tables.
pub fn explain<'a>(run: &Run, summary: &'a Summary, system: &str) -> Vec<Explanation<'a>> {
    // The summary has a row for each cell, in their order.
    let own = summary.cells.iter().zip(run.cells()).filter(|(row, _)| row.system == system);
    own.map(|(row, cell)| of_cell(run, summary, row, &cell)).collect()
}

fn of_cell<'a>(
    run: &Run,
    summary: &'a Summary,
    row: &'a CellSummary,
    cell: &MeasuredCell<'_>,
) -> Explanation<'a> {
    let valid = cell.valid();
    let over_rounds = |figure: &dyn Fn(&Record) -> Option<f64>| {
        median(&valid.iter().filter_map(|record| figure(record)).collect::<Vec<_>>())
    };
    let words_of = |lines: &[Vec<u8>]| lines.iter().map(|line| dyno_measure::words(line)).sum::<usize>();
    let units = cell.test_set.units(cell.track).into_iter();
    let words: Vec<f64> = units.map(|unit| words_of(&cell.test_set.source[unit]) as f64).collect();
    Explanation {
        row,
        typical_words: median(&words).unwrap_or(0.0),
        busy_cores: over_rounds(&busy_cores),
        cpu: CpuTime::notable(summary, row),
        pipe_ms: over_rounds(&|record| Some(record.pipe_floor_ns? as f64 / 1e6)),
        margins: margins::of(run, cell, row),
        neighbours: neighbours::of(run, summary, row),
    }
}

/// CPU time of the system's processes for each second of the launches over the file, which alone the round's account
/// covers.
fn busy_cores(record: &Record) -> Option<f64> {
    let (usage, launches) = (&record.usage, record.launches()?);
    let ns: u64 = launches.ns.iter().sum();
    (ns > 0).then(|| (usage.user_ns + usage.system_ns + usage.unwaited_ns) as f64 / ns as f64)
}
