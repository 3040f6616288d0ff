//! Observations of the server track, as a record holds them: each run with its rate and its times, and the
//! greatest rate that keeps the limit.

use serde::{Deserialize, Serialize};

use crate::LatencyLimit;

/// Round of the server track.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Served {
    /// Limit that the rate keeps.
    pub limit: LatencyLimit,
    /// Greatest rate that keeps the limit, in lines a second, confirmed by a long run; none if no rate keeps
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// All runs, in the order of the measurement.
    pub runs: Vec<ServedRun>,
}

impl Served {
    /// Whether the greatest rate is that of a run which kept the limit.
    pub(super) fn is_honest(&self) -> bool {
        self.rate.is_none() || self.confirming().is_some_and(|run| run.rate > 0.0)
    }

    /// The runs of the closed loop, in the order of the numbers of clients.
    pub fn closed(&self) -> impl Iterator<Item = &ServedRun> {
        self.runs.iter().filter(|run| run.purpose == Purpose::Clients)
    }

    /// The run that confirms the rate.
    pub fn confirming(&self) -> Option<&ServedRun> {
        // A run that missed the limit with a late generator may stand before it.
        let is_it =
            |run: &&ServedRun| run.purpose == Purpose::Confirm && run.kept && Some(run.rate) == self.rate;
        self.runs.iter().find(is_it)
    }
}

/// Purpose of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// Short run that narrows the search.
    Search,
    /// Long run whose rate counts.
    Confirm,
    /// Short run at a share of the greatest rate, for the curve of latency against rate.
    Curve,
    /// Short run of copies alone, which the system can't know, at a share of the greatest rate.
    Unknown,
    /// Short run of the set's lines alone, between two of copies that missed the limit.
    Known,
    /// Closed loop: a number of clients, each of which sends its next line when it has its answer.
    Clients,
}

/// Lines that arrived at one rate, or from a number of clients. Times run from the planned arrival to the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServedRun {
    /// Purpose of the run.
    pub purpose: Purpose,
    /// Number of clients in a closed loop; none where lines arrive at instants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<usize>,
    /// Rate of arrival in lines a second; with clients, that of the answers.
    pub rate: f64,
    /// Number of lines that arrived.
    pub lines: usize,
    /// Whether the percentile stayed within the limit.
    pub kept: bool,
    /// Whether the run ended early, after too many misses. Its times are of the lines until then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// Mean time in milliseconds.
    pub mean_ms: f64,
    /// Median time.
    pub p50_ms: f64,
    /// 90th percentile; none in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p90_ms: Option<f64>,
    /// 95th percentile.
    pub p95_ms: f64,
    /// 99th percentile.
    pub p99_ms: f64,
    /// Percentile that the campaign limits.
    pub limited_ms: f64,
    /// Longest time.
    pub max_ms: f64,
    /// 99th percentile of the generator's own lateness.
    pub late_ms: f64,
}

impl ServedRun {
    /// Figures of lines with these times, and these latenesses of the generator, in nanoseconds.
    pub fn of(purpose: Purpose, rate: f64, latency_ns: &[u64], late_ns: &[u64], percent: f64) -> Self {
        let (sorted, late) = (sorted_ms(latency_ns), sorted_ms(late_ns));
        let mean_ms = sorted.iter().sum::<f64>() / sorted.len().max(1) as f64;
        let rank = |percent| nearest_rank(&sorted, percent);
        Self {
            purpose,
            clients: None,
            rate,
            lines: sorted.len(),
            kept: false,
            stopped: false,
            mean_ms,
            p50_ms: rank(50.0),
            p90_ms: Some(rank(90.0)),
            p95_ms: rank(95.0),
            p99_ms: rank(99.0),
            limited_ms: rank(percent),
            max_ms: rank(100.0),
            late_ms: nearest_rank(&late, 99.0),
        }
    }
}

fn sorted_ms(ns: &[u64]) -> Vec<f64> {
    let mut ns = ns.to_vec();
    ns.sort_unstable();
    ns.into_iter().map(|ns| ns as f64 / 1e6).collect()
}

/// Least value such that at least `percent` of a hundred values lie at or below it; 0 of none.
fn nearest_rank(sorted: &[f64], percent: f64) -> f64 {
    let rank = (percent / 100.0 * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted.get(rank - 1).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let ns: Vec<u64> = (1..=1000).rev().map(|ms| ms * 1_000_000).collect();
        let run = ServedRun::of(Purpose::Search, 10.0, &ns, &[2_000_000], 90.0);
        assert_eq!((run.p50_ms, run.p95_ms, run.p99_ms, run.limited_ms), (500.0, 950.0, 990.0, 900.0));
        assert_eq!((run.mean_ms, run.max_ms, run.late_ms, run.lines), (500.5, 1000.0, 2.0, 1000));
    }

    #[test]
    fn the_confirming_run_is_the_one_that_kept_the_limit() {
        let run = |purpose, kept, ms| ServedRun { kept, ..ServedRun::of(purpose, 10.0, &[ms], &[0], 99.0) };
        let runs = vec![
            run(Purpose::Search, true, 1),
            run(Purpose::Confirm, false, 2),
            run(Purpose::Confirm, true, 3),
        ];
        let served = Served { limit: LatencyLimit::default(), rate: Some(10.0), runs };
        assert_eq!(served.confirming(), Some(&served.runs[2]));
        assert_eq!(Served { rate: Some(9.0), ..served.clone() }.confirming(), None);
        assert_eq!(Served { rate: None, ..served }.confirming(), None);
    }
}
