//! Columns of figures in the tables that people read: the head of each, its figure of a row, and the text of
//! that figure. The terminal, the page, the page of hosts and the leaderboard choose among these, so that one
//! figure has one name, one unit and one rounding everywhere.

use dyno_stats::Estimate;
use dyno_stats::numbers::{mebibytes, supported};

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

/// A row that has figures for columns.
pub trait Figures {
    /// The figure, in the unit of the column's head.
    fn figure(&self, column: Column) -> Option<Estimate>;

    /// Whether the size of the model is declared, and was never seen.
    fn is_declared(&self) -> bool;
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

    /// Text of `figure` of `row`, with the digits that its interval supports; three without an interval.
    pub fn text(self, row: &impl Figures, figure: &Estimate) -> String {
        match self {
            // By chance, a single line can take longer than the whole set.
            Self::Load if figure.value > 99.0 => ">99".into(),
            Self::Load => format!("{:.0}", figure.value),
            Self::Model if row.is_declared() => supported(figure) + " declared",
            _ => supported(figure),
        }
    }
}

impl Figures for CellSummary {
    fn figure(&self, column: Column) -> Option<Estimate> {
        let exact = match column {
            Column::Speed => return self.speed(),
            Column::Dollars => return self.millions(self.words_per_dollar),
            Column::ProRata => return self.millions(self.words_per_dollar_pro_rata),
            Column::Steady => self.steady_words_per_second,
            Column::Load => self.load_share.map(|share| share * 100.0),
            Column::Rate => self.lines_per_second,
            Column::P50 => self.p50_ms,
            Column::P95 => self.p95_ms,
            Column::P99 => self.p99_ms,
            Column::Start => self.start_ms,
            Column::Energy => self.joules_per_word.map(|joules| joules * 1e3),
            Column::Model => self.model_bytes.map(mebibytes),
            Column::Peak => self.peak_bytes.map(mebibytes),
        };
        exact.map(Estimate::exactly)
    }

    fn is_declared(&self) -> bool {
        self.model_declared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row with one figure in all columns.
    struct One(Estimate, bool);

    impl Figures for One {
        fn figure(&self, _: Column) -> Option<Estimate> {
            Some(self.0)
        }

        fn is_declared(&self) -> bool {
            self.1
        }
    }

    fn text(column: Column, row: &One) -> String {
        column.text(row, &row.0)
    }

    #[test]
    fn figures_without_an_interval_carry_three_digits() {
        for (value, text_of) in
            [(0.01234, "0.0123"), (0.1234, "0.123"), (1.234, "1.23"), (12.34, "12.3"), (1234.0, "1,230")]
        {
            assert_eq!(text(Column::P50, &One(Estimate::exactly(value), false)), text_of);
        }
    }

    #[test]
    fn a_load_stays_below_a_hundred_and_a_declared_size_says_so() {
        let [most, whole] = [123.0, 41.7].map(|share| One(Estimate::exactly(share), true));
        assert_eq!([&most, &whole].map(|row| text(Column::Load, row)), [">99", "42"]);
        assert_eq!([&most, &whole].map(|row| text(Column::Peak, row)), ["123", "41.7"]);
        assert_eq!(text(Column::Model, &whole), "41.7 declared");
    }
}
