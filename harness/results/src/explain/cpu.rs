//! CPU time of a system where it tells more than its speed. It isn't always the time that a user waits, and
//! may be far more than that of the other systems.

use dyno_stats::median;

use crate::summary::Summary;
use crate::summary::cell::CellSummary;

/// Share by which CPU time may differ from a user's waiting without being named: the pipe and the kernel's
/// account make some percent.
const USUAL_GAP: f64 = 0.1;
/// Times the middle system's CPU time from which on it is named. Sizes of models on one ladder differ by less
/// from one rung to the next.
const FAR_MORE: f64 = 2.0;

/// CPU time of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CpuTime {
    /// Seconds for 1,000 source words.
    pub seconds: f64,
    /// The same as a multiple of the time that a user waits for these words, where that is notable; lock-step
    /// alone, since elsewhere the busy cores say it.
    pub of_waiting: Option<f64>,
    /// The same as a multiple of the median of the table's other systems, where that is notable.
    pub of_others: Option<f64>,
}

impl CpuTime {
    /// The CPU time of `row`; `None` where nothing of it is notable.
    pub(super) fn notable(summary: &Summary, row: &CellSummary) -> Option<Self> {
        let seconds = row.cpu_seconds_per_1000_words?;
        let waiting = row.words_per_second.filter(|_| row.track.is_lockstep()).map(|speed| 1000.0 / speed);
        let of_waiting =
            waiting.map(|waiting| seconds / waiting).filter(|times| (times - 1.0).abs() > USUAL_GAP);
        let others = summary.ranked_beside(row).filter_map(|row| row.cpu_seconds_per_1000_words);
        let others: Vec<f64> = others.collect();
        let of_others = median(&others).map(|middle| seconds / middle).filter(|&times| times >= FAR_MORE);
        (of_waiting.is_some() || of_others.is_some()).then_some(Self { seconds, of_waiting, of_others })
    }
}

#[cfg(test)]
mod tests {
    use dyno_record::Track;
    use dyno_stats::Standing;

    use super::*;

    /// Cells of 100 words a second with that CPU time: a user waits 10 s for 1,000 words.
    fn notable(track: Track, seconds: [f64; 4]) -> Option<CpuTime> {
        let cell = |(place, seconds): (usize, &f64)| CellSummary {
            track,
            place,
            words_per_second: Some(100.0),
            cpu_seconds_per_1000_words: Some(*seconds),
            standing: Some(Standing::Off),
            ..CellSummary::default()
        };
        let cells: Vec<CellSummary> = seconds.iter().enumerate().map(cell).collect();
        let summary = Summary { cells, ..Summary::default() };
        CpuTime::notable(&summary, &summary.cells[0])
    }

    #[test]
    fn cpu_time_is_told_where_it_is_not_the_time_of_waiting_or_far_more_than_others() {
        assert_eq!(notable(Track::Latency, [10.5, 10.0, 10.0, 10.0]), None);
        let spinning = notable(Track::Latency, [19.0, 10.0, 10.0, 10.0]).unwrap();
        assert_eq!((spinning.of_waiting, spinning.of_others), (Some(1.9), None));
        let waiting = notable(Track::Latency, [5.0, 10.0, 10.0, 10.0]).unwrap();
        assert_eq!(waiting.of_waiting, Some(0.5));
        let heavy = notable(Track::Throughput1, [30.0, 10.0, 10.0, 90.0]).unwrap();
        assert_eq!((heavy.of_waiting, heavy.of_others), (None, Some(3.0)));
    }
}
