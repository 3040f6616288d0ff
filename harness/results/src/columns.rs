//! Columns of figures in the tables that people read: the head of each, its figure of a row, and the text of
//! that figure. The terminal, the page, the page of hosts and the leaderboard choose among these, so that one
//! figure has one name, one unit and one rounding everywhere.

use dyno_stats::Estimate;
use dyno_stats::numbers::{mebibytes, supported, whole};

use crate::summary::cell::CellSummary;

/// Defines the columns in the order of the page: each with its head, that is name and unit, and with the figure of a
/// row in this unit.
macro_rules! columns {
    ($($(#[$about:meta])* $Column:ident => $head:literal, $figure:expr;)*) => {
        /// A column of figures.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // the summary's fields, which the columns show, are described there
        pub enum Column { $($(#[$about])* $Column,)* }

        impl Column {
            /// All columns, in the order of the page.
            pub const ALL: [Self; [$($head),*].len()] = [$(Self::$Column),*];

            const fn facts(self) -> (&'static str, fn(&CellSummary) -> Option<Estimate>) {
                match self { $(Self::$Column => ($head, $figure),)* }
            }
        }
    };
}

columns! {
    Speed => "words/s", CellSummary::speed;
    Steady => "steady", |row| exactly(row.steady_words_per_second);
    Load => "load %", |row| exactly(row.load_share.map(|share| share * 100.0));
    FirstLine => "first line p50 ms", |row| exactly(row.first_line_p50_ms);
    FirstLineP95 => "first line p95 ms", |row| exactly(row.first_line_p95_ms);
    FirstText => "first text p50 ms", |row| exactly(row.first_text_p50_ms);
    Piece => "ms a piece", |row| exactly(row.piece_ms);
    P50 => "p50 ms", |row| exactly(row.p50_ms);
    P95 => "p95 ms", |row| exactly(row.p95_ms);
    P99 => "p99 ms", |row| exactly(row.p99_ms);
    Start => "start ms", |row| exactly(row.start_ms);
    ColdStart => "cold start ms", |row| exactly(row.cold_start_ms);
    /// Words for a US dollar, the whole instance paid for.
    Dollars => "Mwords/$", |row| row.millions(row.words_per_dollar);
    /// Words for a US dollar, the used cores paid for.
    ProRata => "pro rata", |row| row.millions(row.words_per_dollar_pro_rata);
    Energy => "mJ/word", |row| exactly(row.joules_per_word.map(|joules| joules * 1e3));
    Cpu => "CPU s/kword", |row| exactly(row.cpu_seconds_per_1000_words);
    Model => "model MiB", |row| exactly(row.model_bytes.map(mebibytes));
    Peak => "peak MiB", |row| exactly(row.peak_bytes.map(mebibytes));
    Settled => "settled MiB", |row| exactly(row.settled_bytes.map(mebibytes));
    FirstToken => "first token ms", |row| exactly(row.first_token_ms);
    TokensRead => "tokens in/s", |row| exactly(row.tokens_read_per_second);
    TokensWritten => "tokens out/s", |row| exactly(row.tokens_written_per_second);
    Weights => "weights MiB", |row| exactly(row.weight_bytes.map(mebibytes));
    Kept => "KV MiB", |row| exactly(row.kept_bytes.map(mebibytes));
    Rate => "lines/s", |row| exactly(row.lines_per_second);
}

impl Column {
    /// Head: name and unit.
    pub const fn head(self) -> &'static str {
        self.facts().0
    }

    /// Figure of `row`, in the unit of the head.
    pub fn figure(self, row: &CellSummary) -> Option<Estimate> {
        self.facts().1(row)
    }

    /// Figure of `row` on the page: percentiles of latency with their intervals over rounds; the price of the used
    /// cores is left out on a whole instance, where both prices are the same.
    pub fn figure_on_page(self, row: &CellSummary) -> Option<Estimate> {
        match self {
            Self::P50 => row.percentiles_ms[0],
            Self::P95 => row.percentiles_ms[2],
            Self::P99 => row.percentiles_ms[3],
            Self::ProRata => self.figure(row).filter(|own| Some(*own) != Self::Dollars.figure(row)),
            _ => self.figure(row),
        }
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

fn exactly(value: Option<f64>) -> Option<Estimate> {
    value.map(Estimate::exactly)
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
