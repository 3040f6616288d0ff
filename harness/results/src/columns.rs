//! Columns of figures in the tables that people read: the head of each, its figure of a row, and the text of
//! that figure. The terminal, the page, the page of hosts and the leaderboard choose among these, so that one
//! figure has one name, one unit and one rounding everywhere.

use dyno_stats::Estimate;
use dyno_stats::numbers::{mebibytes, supported, whole};

use crate::summary::cell::CellSummary;

/// A column of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Source words a second.
    Speed,
    /// Source words a second without loading.
    Steady,
    /// Loading's share of a launch.
    Load,
    /// Track server: greatest rate of arrival within the limit.
    Rate,
    /// Median latency.
    P50,
    /// 95th percentile of latency.
    P95,
    /// 99th percentile of latency.
    P99,
    /// Time from launch to the first answer.
    Start,
    /// Words for a US dollar, the whole instance paid for.
    Dollars,
    /// Words for a US dollar, the used cores paid for.
    ProRata,
    /// Energy of the host for a source word.
    Energy,
    /// Size of the model's files.
    Model,
    /// Peak resident memory.
    Peak,
}

impl Column {
    /// Head: name and unit.
    pub const fn head(self) -> &'static str {
        match self {
            Self::Speed => "words/s",
            Self::Steady => "steady",
            Self::Load => "load %",
            Self::Rate => "lines/s",
            Self::P50 => "p50 ms",
            Self::P95 => "p95 ms",
            Self::P99 => "p99 ms",
            Self::Start => "start ms",
            Self::Dollars => "Mwords/$",
            Self::ProRata => "pro rata",
            Self::Energy => "mJ/word",
            Self::Model => "model MiB",
            Self::Peak => "peak MiB",
        }
    }

    /// Figure of `row`, in the unit of the head.
    pub fn figure(self, row: &CellSummary) -> Option<Estimate> {
        let exact = match self {
            Self::Speed => return row.speed(),
            Self::Dollars => return row.millions(row.words_per_dollar),
            Self::ProRata => return row.millions(row.words_per_dollar_pro_rata),
            Self::Steady => row.steady_words_per_second,
            Self::Load => row.load_share.map(|share| share * 100.0),
            Self::Rate => row.lines_per_second,
            Self::P50 => row.p50_ms,
            Self::P95 => row.p95_ms,
            Self::P99 => row.p99_ms,
            Self::Start => row.start_ms,
            Self::Energy => row.joules_per_word.map(|joules| joules * 1e3),
            Self::Model => row.model_bytes.map(mebibytes),
            Self::Peak => row.peak_bytes.map(mebibytes),
        };
        exact.map(Estimate::exactly)
    }

    /// Text of `figure` of `row`. A size that no round has seen is marked.
    pub fn text(self, row: &CellSummary, figure: &Estimate) -> String {
        let mark = if self == Self::Model && row.model_declared { " declared" } else { "" };
        self.digits(figure) + mark
    }

    /// The digits that the interval of `figure` supports; three without an interval.
    fn digits(self, figure: &Estimate) -> String {
        match self {
            // By chance, a single line can take longer than the whole set.
            Self::Load if figure.value > 99.0 => ">99".into(),
            Self::Load => whole(figure.value),
            _ => supported(figure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_without_an_interval_carry_three_digits() {
        for (value, text) in
            [(0.01234, "0.0123"), (0.1234, "0.123"), (1.234, "1.23"), (12.34, "12.3"), (1234.0, "1,230")]
        {
            assert_eq!(Column::P50.digits(&Estimate::exactly(value)), text);
        }
    }

    #[test]
    fn a_load_has_no_decimals_and_stays_below_a_hundred() {
        let load = |percent| Column::Load.digits(&Estimate::exactly(percent));
        assert_eq!([123.0, 41.7].map(load), [">99", "42"]);
    }
}
