//! Figures of the server track's closed loop: the curve of throughput and times by the number of clients, and its knee.

use std::collections::BTreeMap;

use dyno_record::{Record, ServedRun};
use dyno_stats::median;
use serde::Serialize;

/// Throughput and times under one load, each the median over rounds. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadFigures {
    /// Answers a second.
    pub lines_per_second: f64,
    /// Mean time.
    pub mean_ms: f64,
    /// Median time.
    pub p50_ms: f64,
    /// 90th percentile.
    pub p90_ms: Option<f64>,
    /// 95th percentile.
    pub p95_ms: f64,
    /// 99th percentile.
    pub p99_ms: f64,
    /// Whether the limited percentile stayed within the limit in most rounds.
    pub kept: bool,
}

impl LoadFigures {
    /// Figures of runs under the same load, one of each round; `None` of none.
    fn of(runs: &[&ServedRun]) -> Option<Self> {
        let over =
            |figure: fn(&ServedRun) -> f64| median(&runs.iter().map(|run| figure(run)).collect::<Vec<_>>());
        Some(Self {
            lines_per_second: over(|run| run.rate)?,
            mean_ms: over(|run| run.mean_ms)?,
            p50_ms: over(|run| run.p50_ms)?,
            p90_ms: median(&runs.iter().filter_map(|run| run.p90_ms).collect::<Vec<_>>()),
            p95_ms: over(|run| run.p95_ms)?,
            p99_ms: over(|run| run.p99_ms)?,
            kept: 2 * runs.iter().filter(|run| run.kept).count() > runs.len(),
        })
    }

    /// Throughput for a unit of time that a line takes: the *power* of a load.
    fn power(&self) -> f64 {
        self.lines_per_second / self.mean_ms.max(f64::MIN_POSITIVE)
    }
}

/// Figures by the number of clients over these rounds.
pub(super) fn by_clients(rounds: &[&Record]) -> BTreeMap<usize, LoadFigures> {
    let mut runs: BTreeMap<usize, Vec<&ServedRun>> = BTreeMap::new();
    for run in rounds.iter().filter_map(|record| record.served()).flat_map(|served| served.closed()) {
        runs.entry(run.clients.unwrap_or(0)).or_default().push(run);
    }
    runs.into_iter().filter_map(|(clients, runs)| Some((clients, LoadFigures::of(&runs)?))).collect()
}

/// The knee of the curve: the number of clients with the greatest power (Kleinrock 1979, "Power and deterministic rules
/// of thumb for probabilistic problems in computer communications"). Up to it, a further client adds more to the
/// throughput than to the times. `None` if the power still grows at the greatest number: the knee may lie beyond.
pub(super) fn knee(by_clients: &BTreeMap<usize, LoadFigures>) -> Option<usize> {
    let best = by_clients.iter().rev().max_by(|a, b| a.1.power().total_cmp(&b.1.power()))?.0;
    (Some(best) != by_clients.keys().last()).then_some(*best)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Curve of so many servers that take a millisecond for a line: X = min(N, servers), R = N / X.
    fn curve(servers: usize, clients: &[usize]) -> BTreeMap<usize, LoadFigures> {
        let figures = |&clients: &usize| {
            let lines_per_second = 1e3 * clients.min(servers) as f64;
            let ms = 1e3 * clients as f64 / lines_per_second;
            let (p50_ms, p90_ms, p95_ms, p99_ms) = (ms, Some(ms), ms, ms);
            (
                clients,
                LoadFigures { lines_per_second, mean_ms: ms, p50_ms, p90_ms, p95_ms, p99_ms, kept: true },
            )
        };
        clients.iter().map(figures).collect()
    }

    #[test]
    fn the_knee_of_servers_side_by_side_is_their_number() {
        let all = [1, 2, 4, 8, 16];
        assert_eq!([1, 2, 4, 8].map(|servers| knee(&curve(servers, &all))), [1, 2, 4, 8].map(Some));
        assert_eq!(
            knee(&curve(3, &all)),
            Some(4),
            "powers of 2 and 4 clients at 3 servers: 2 / 1 and 3 / (4 / 3)"
        );
    }

    #[test]
    fn a_knee_beyond_the_clients_is_none() {
        assert_eq!(knee(&curve(16, &[1, 2, 4, 8, 16])), None);
        assert_eq!((knee(&curve(1, &[4])), knee(&BTreeMap::new())), (None, None));
    }
}
