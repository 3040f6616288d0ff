//! Figures of a cell from its rounds: medians, percentiles and fits.

use dyno_api::{Breakdown, counts};
use dyno_record::identity::Search;
use dyno_record::{Record, Served, ServedRun, Track};
use dyno_stats::{
    Estimate, LengthFit, by_length, fit_length, mean, median, median_interval, percentile, percentile_bound,
    sorted,
};

use super::counted::Counted;
use crate::prices::Price;
use crate::run::cells::MeasuredCell;
use crate::run::{CellBreakdown, Run};

/// A cell, and the functions from its rounds to its figures.
pub(super) struct CellFigures<'a> {
    run: &'a Run,
    cell: &'a MeasuredCell<'a>,
    pub(super) valid: Vec<&'a Record>,
    /// Words a second of these records.
    pub(super) speeds: Vec<f64>,
    /// Latencies of each of these records in milliseconds, ascending: a percentile of sorted lines costs
    /// little.
    sorted_ms: Vec<Vec<f64>>,
    pub(super) output: Option<&'a String>,
    counted: &'a Counted<'a>,
}

impl<'a> CellFigures<'a> {
    pub(super) fn of(run: &'a Run, cell: &'a MeasuredCell<'a>, counted: &'a Counted<'a>) -> Self {
        let valid = cell.valid();
        let output = run.scored_output(cell);
        let sorted_ms = valid.iter().map(|record| sorted(&milliseconds(record.latency_ns()))).collect();
        Self { run, cell, sorted_ms, valid, speeds: cell.speeds(), output, counted }
    }

    /// Median over rounds.
    pub(super) fn over_rounds(&self, value: impl Fn(&Record) -> Option<f64>) -> Option<f64> {
        median(&self.valid.iter().filter_map(|record| value(record)).collect::<Vec<_>>())
    }

    /// Median over rounds of a figure of a round's lines, in milliseconds.
    pub(super) fn latency(&self, figure: impl Fn(&[f64]) -> Option<f64>) -> Option<f64> {
        median(&self.sorted_ms.iter().filter_map(|ms| figure(ms)).collect::<Vec<_>>())
    }

    /// Median over rounds of a percentile of the lines, with its interval.
    pub(super) fn spread(&self, p: f64) -> Option<Estimate> {
        median_interval(&self.sorted_ms.iter().filter_map(|ms| percentile(ms, p)).collect::<Vec<_>>())
    }

    /// Median latency of each line over the rounds.
    pub(super) fn lines_ms(&self) -> Vec<f64> {
        let lines = self.valid.iter().map(|record| record.latency_ns()).filter(|lines| !lines.is_empty());
        let rounds: Vec<&[u64]> = lines.collect();
        let lines = rounds.iter().map(|lines| lines.len()).min().unwrap_or(0);
        let line = |i: usize| median(&rounds.iter().map(|lines| lines[i] as f64 / 1e6).collect::<Vec<_>>());
        (0..lines).filter_map(line).collect()
    }

    /// Round of the median rate; of an even number the lower one.
    pub(super) fn median_served(&self) -> Option<Served> {
        let mut served: Vec<&Served> = self.valid.iter().filter_map(|record| record.served()).collect();
        let rate = |served: &Served| served.rate.unwrap_or(0.0);
        served.sort_by(|a, b| rate(a).total_cmp(&rate(b)));
        served.get(served.len().saturating_sub(1) / 2).copied().cloned()
    }

    pub(super) fn breakdown(&self) -> Option<Breakdown> {
        let cell = (self.cell.system, self.cell.test_set.name.as_str(), self.cell.track);
        let is_own = |row: &&CellBreakdown| (row.system.as_str(), row.test_set.as_str(), row.track) == cell;
        self.run.breakdowns.iter().find(is_own).map(|row| row.breakdown.clone())
    }

    pub(super) fn percentile(&self, p: f64) -> Option<f64> {
        self.latency(|ms| percentile(ms, p))
    }

    pub(super) fn bound(&self, p: f64) -> Option<f64> {
        self.latency(|ms| percentile_bound(ms, p))
    }

    /// Median over rounds of a figure of the run that confirms the greatest rate.
    pub(super) fn served<F: Into<Option<f64>>>(&self, figure: impl Fn(&ServedRun) -> F) -> Option<f64> {
        self.over_rounds(|record| figure(record.served()?.confirming()?).into())
    }

    /// Fit of latency over the words of the source, where a line or a page is alone.
    pub(super) fn fit(&self) -> Option<LengthFit> {
        let MeasuredCell { test_set, track, .. } = self.cell;
        if !track.is_lockstep() {
            return None;
        }
        let words = &self.counted.lines[test_set.name.as_str()];
        let of_units: Vec<usize> =
            test_set.units(*track).into_iter().map(|unit| words[unit].iter().sum()).collect();
        let of_round = |record: &&Record| of_units.iter().copied().zip(milliseconds(record.latency_ns()));
        fit_length(&by_length(self.valid.iter().flat_map(of_round)))
    }

    /// Median over rounds of the time from launch to the first answer, of launches that were cold or weren't.
    pub(super) fn start_ms(&self, cold: bool) -> Option<f64> {
        self.over_rounds(|record| {
            record.start_ns.filter(|_| record.is_cold() == cold).map(|ns| ns as f64 / 1e6)
        })
    }

    /// Median over rounds of a percentile of other times than those of whole lines, in milliseconds.
    pub(super) fn percentile_of(&self, ns: fn(&Record) -> &[u64], p: f64) -> Option<f64> {
        self.over_rounds(|record| percentile(&milliseconds(ns(record)), p))
    }

    /// Median over rounds of the mean time between two pieces of an answer.
    pub(super) fn piece_ms(&self) -> Option<f64> {
        self.over_rounds(|record| {
            let (first_ns, counts) = record.pieces();
            let ns: u64 = record.latency_ns().iter().zip(first_ns).map(|(last, first)| last - first).sum();
            let gaps: usize = counts.iter().map(|count| count - 1).sum();
            (gaps > 0).then(|| ns as f64 / 1e6 / gaps as f64)
        })
    }

    /// Speed in units of the answers instead of source words.
    pub(super) fn speed_in(&self, count: impl Fn([usize; 2]) -> usize) -> Option<f64> {
        let counted = count(*self.counted.outputs.get(self.output?.as_str())?) as f64;
        let source: usize = self.counted.lines[self.cell.test_set.name.as_str()].iter().sum();
        Some(median(&self.speeds)? * counted / source as f64)
    }

    /// A figure of the price and the speed; none where the priced instance lacks the `cores` of that speed.
    pub(super) fn priced(&self, cores: usize, value: impl Fn(&Price, f64) -> f64) -> Option<f64> {
        let price = self.run.price.as_ref().filter(|price| price.has_cores(cores))?;
        Some(value(price, median(&self.speeds)?))
    }

    /// Median over rounds of a system's own count in a second of its own count of time.
    pub(super) fn rate(&self, count: &str, ns: &str) -> Option<f64> {
        self.over_rounds(|record| match [count, ns].map(|name| own_count(record, name)) {
            [0, _] | [_, 0] => None,
            [count, ns] => Some(count as f64 / (ns as f64 / 1e9)),
        })
    }

    /// Median over rounds of the mean time to a line's first token, by the system's own account. A system that claims
    /// to have waited longer than its answers took has none. Elsewhere than line by line a line waits for
    /// others, so that the figure would say nothing.
    pub(super) fn first_token_ms(&self, track: Track) -> Option<f64> {
        let answers = self.latency(mean)?;
        let seconds = self.rate(counts::FIRST_TOKENS, counts::FIRST_TOKENS_NS).map(f64::recip);
        seconds.map(|seconds| seconds * 1e3).filter(|ms| track.has_one_line() && *ms <= answers)
    }

    /// A fact of the system's search, where that is known.
    pub(super) fn search<T>(&self, fact: impl Fn(&Search) -> Option<T>) -> Option<T> {
        fact(self.run.identity.system(self.cell.system)?.search.as_ref()?)
    }

    pub(super) fn most(&self, value: impl Fn(&Record) -> u64) -> Option<u64> {
        self.valid.iter().map(|record| value(record)).max().filter(|&most| most > 0)
    }
}

/// A count of the system's own facts; 0 where there is none.
pub(super) fn own_count(record: &Record, name: &str) -> u64 {
    record.facts.as_ref().and_then(|facts| facts.counts.get(name).copied()).unwrap_or(0)
}

fn milliseconds(ns: &[u64]) -> Vec<f64> {
    ns.iter().map(|&ns| ns as f64 / 1e6).collect()
}

pub(super) fn load_share(record: &Record) -> Option<f64> {
    let launches = record.launches()?;
    Some(median(&milliseconds(&launches.one_line_ns))? / mean(&milliseconds(&launches.ns))?)
}

/// Words a second of a launch without loading, which is the time of a launch with one line. Given for any
/// share of loading.
pub fn steady(record: &Record) -> Option<f64> {
    let launches = record.launches()?;
    let load_free = mean(&milliseconds(&launches.ns))? - median(&milliseconds(&launches.one_line_ns))?;
    (load_free > 0.0).then(|| record.words_of_a_pass() as f64 / (load_free / 1e3))
}
