//! Figures of one cell: a row of `summary.csv`, and what only a page shows of it.

use std::collections::{BTreeMap, HashMap};

use dyno_api::Breakdown;
use dyno_record::{Profile, Reason, Served, Track, Verdict};
use dyno_stats::{Estimate, Standing};
use serde::Serialize;

use super::duel::Duel;
use super::load::LoadFigures;
use crate::kinds::KindCount;
use crate::turns::Measure;

/// Summary of one cell. Times are in milliseconds; `None` means not measured, or without a bound. Files and JSON
/// hold the fields up to `output`; the others are for the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CellSummary {
    /// Name of the host, in a run that was merged from several hosts.
    pub host: Option<String>,
    /// Name of the test set.
    pub test_set: String,
    /// Track of the cell.
    pub track: Track,
    /// Name of the system.
    pub system: String,
    /// Profile of the run.
    pub profile: Profile,
    /// Precision of the products, where it is known.
    pub precision: Option<String>,
    /// Hypotheses that the search keeps, where they are known.
    pub beam: Option<usize>,
    /// Most words of an answer, where such a limit is known.
    pub most_words: Option<usize>,
    /// Number of cores of the system.
    pub cores: usize,
    /// Verdict: VALID, NOISY or INVALID.
    pub verdict: Verdict,
    /// Faults, each code once.
    pub reasons: Vec<Reason>,
    /// Warnings, each code once.
    pub warnings: Vec<Reason>,
    /// Standing among the cells of the same test set and track, by the first metric and cost: p95 latency in
    /// the latency track, words a second in the others. Absent unless the cell is VALID, without either
    /// figure, with BLEU 0, for echoes of the source, and for the second of twins.
    pub standing: Option<Standing>,
    /// Number of rounds that count.
    pub rounds: usize,
    /// Source words a second (official), median over rounds.
    pub words_per_second: Option<f64>,
    /// Lower end of the speed's interval.
    pub words_per_second_low: Option<f64>,
    /// Upper end of the speed's interval.
    pub words_per_second_high: Option<f64>,
    /// Coverage of that interval: probability that it holds the true median.
    pub interval_coverage: Option<f64>,
    /// Words a second without loading; hidden above 65 % load share.
    pub steady_words_per_second: Option<f64>,
    /// Share of a launch that a single line takes as well.
    pub load_share: Option<f64>,
    /// Whitespace-separated words of the answers a second.
    pub target_words_per_second: Option<f64>,
    /// Characters of the answers a second.
    pub target_chars_per_second: Option<f64>,
    /// Source words for a US dollar, if the whole instance is paid for.
    pub words_per_dollar: Option<f64>,
    /// Source words for a US dollar, if only the used cores are paid for.
    pub words_per_dollar_pro_rata: Option<f64>,
    /// Joules of the host for a source word, where there is a meter; median over rounds.
    pub joules_per_word: Option<f64>,
    /// Seconds of the system's CPU time for 1,000 source words; median over rounds.
    pub cpu_seconds_per_1000_words: Option<f64>,
    /// Track server: greatest rate of arrival within the latency limit, in lines a second.
    pub lines_per_second: Option<f64>,
    /// Track server: limit of the latency, in milliseconds.
    pub limit_ms: Option<f64>,
    /// Track server: percentile of the latency that must stay within the limit.
    pub limit_percentile: Option<f64>,
    /// Track server: number of clients at the knee of the closed loop, where throughput over mean time is greatest;
    /// none if it may lie beyond the greatest number.
    pub knee_clients: Option<usize>,
    /// Track server: figures of the closed loop by the number of clients.
    pub clients: BTreeMap<usize, LoadFigures>,
    /// Mean latency; in the track server, this and the next figures are those at the greatest rate, in the
    /// track pages those of a page's last line.
    pub mean_ms: Option<f64>,
    /// Median latency.
    pub p50_ms: Option<f64>,
    /// Upper bound of the median with 99 % confidence.
    pub p50_bound_ms: Option<f64>,
    /// 90th percentile.
    pub p90_ms: Option<f64>,
    /// Upper bound of the 90th percentile.
    pub p90_bound_ms: Option<f64>,
    /// 95th percentile.
    pub p95_ms: Option<f64>,
    /// Upper bound of the 95th percentile.
    pub p95_bound_ms: Option<f64>,
    /// 99th percentile.
    pub p99_ms: Option<f64>,
    /// Upper bound of the 99th percentile.
    pub p99_bound_ms: Option<f64>,
    /// 99.9th percentile.
    pub p999_ms: Option<f64>,
    /// Upper bound of the 99.9th percentile.
    pub p999_bound_ms: Option<f64>,
    /// Latency of the slowest line.
    pub max_ms: Option<f64>,
    /// Answers in pieces: median time to the first text of an answer.
    pub first_text_p50_ms: Option<f64>,
    /// Answers in pieces: 95th percentile of the time to the first text.
    pub first_text_p95_ms: Option<f64>,
    /// Answers in pieces: mean time between two pieces of an answer.
    pub piece_ms: Option<f64>,
    /// Track pages: median time to a page's first line.
    pub first_line_p50_ms: Option<f64>,
    /// Track pages: 95th percentile of the time to a page's first line.
    pub first_line_p95_ms: Option<f64>,
    /// Track pages: 99th percentile of the time to a page's first line.
    pub first_line_p99_ms: Option<f64>,
    /// Fixed time of a line, or of a page in the track pages, by the fit over source lengths.
    pub line_ms: Option<f64>,
    /// Time of each source word, by the same fit.
    pub word_ms: Option<f64>,
    /// Time from launch to the first answer.
    pub start_ms: Option<f64>,
    /// Cold starts: time from launch to the first answer, with the model on the disk.
    pub cold_start_ms: Option<f64>,
    /// Bytes of the model's files.
    pub model_bytes: Option<u64>,
    /// Whether `model_bytes` is what the campaign declares, and no round has seen the system read the model.
    pub model_declared: bool,
    /// Peak resident memory, the largest of the rounds.
    pub peak_bytes: Option<u64>,
    /// Lower bound of `peak_bytes`.
    pub floor_bytes: Option<u64>,
    /// Memory after the last answer, the largest of the rounds; none in the throughput tracks.
    pub settled_bytes: Option<u64>,
    /// Language models: mean time from a line to its answer's first token, in lock-step tracks.
    pub first_token_ms: Option<f64>,
    /// Language models: tokens of prompts that a worker reads in a second, without those that all lines share.
    pub tokens_read_per_second: Option<f64>,
    /// Language models: tokens of answers that a worker writes in a second, after the first of each.
    pub tokens_written_per_second: Option<f64>,
    /// Language models: bytes of weights in memory.
    pub weight_bytes: Option<u64>,
    /// Language models: greatest number of bytes of keys and values.
    pub kept_bytes: Option<u64>,
    /// Quality by each metric of the run, the frontier's first.
    pub quality: Vec<MetricFigure>,
    /// What the answers that were scored keep of the source, by kind; empty for encoders.
    pub kinds: Vec<KindCount>,
    /// SHA-256 of the answers that were scored: the worst of the rounds.
    pub output: Option<String>,
    /// Reason why the cell has no standing.
    #[serde(skip)]
    pub unranked: Option<Unranked>,
    /// Place of the system in the campaign.
    #[serde(skip)]
    pub place: usize,
    /// Track server: the round of the median rate.
    #[serde(skip)]
    pub served: Option<Served>,
    /// Percentiles of latency with their interval over rounds: 50, 90, 95, 99.
    #[serde(skip)]
    pub percentiles_ms: [Option<Estimate>; 4],
    /// Latency of each line or page, median over rounds, in source order.
    #[serde(skip)]
    pub latency_ms: Vec<f64>,
    /// Breakdown of its time, as the system accounts for it.
    #[serde(skip)]
    pub breakdown: Option<Breakdown>,
    /// Comparisons with the other systems of the table, by their place.
    #[serde(skip)]
    pub duels: HashMap<(Measure, usize), Duel>,
}

dyno_record::words! {
    /// Reason why a cell is ranked with no other, with its text for a reader.
    pub enum Unranked {
        /// A rule was broken.
        Invalid => "a rule was broken",
        /// The host disturbed the measurement.
        Noisy => "the host disturbed more than half of its rounds",
        /// No score by the first metric.
        Unscored => "it has no score; `dyno score` computes one",
        /// BLEU 0: the text is no translation.
        Worthless => "its answers have BLEU 0 and are no translations",
        /// No p95 latency or no speed.
        Costless => "it has no speed, or too few lines for a 95th percentile",
        /// Second of twins.
        Twin => "it is the second entry of a system, which only measures the noise",
        /// Most answers are their source lines.
        Echo => "most of its answers are their source lines",
    }
}

/// Quality of a cell by one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricFigure {
    /// Name of the metric.
    pub metric: String,
    /// Score of the text; absent if the metric gave none.
    pub score: Option<f64>,
    /// Half of the score's 95 % bootstrap interval.
    pub confidence: Option<f64>,
    /// Lowest score of the rounds' texts, if the texts of the cell differ.
    pub low: Option<f64>,
    /// Highest score of the rounds' texts, if the texts of the cell differ.
    pub high: Option<f64>,
}

/// A finding on the systems of a test set, in a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// Name of the test set.
    pub test_set: String,
    /// Text of the finding.
    pub text: String,
}

impl MetricFigure {
    /// Score with its interval.
    pub fn estimate(&self) -> Option<Estimate> {
        Some(Estimate::give_or_take(self.score?, self.confidence.unwrap_or(0.0)))
    }
}

impl CellSummary {
    /// Words a second with their interval.
    pub fn speed(&self) -> Option<Estimate> {
        let (low, high) = (self.words_per_second_low?, self.words_per_second_high?);
        Some(Estimate { value: self.words_per_second?, low, high })
    }

    /// Millions of the `words` that a dollar buys: the speed in another unit, with its interval.
    pub fn millions(&self, words: Option<f64>) -> Option<Estimate> {
        let speed = self.speed()?;
        Some(speed.times(words? / speed.value / 1e6))
    }

    /// Quality by a metric, with half of its interval on either side.
    pub fn quality_by(&self, metric: &str) -> Option<Estimate> {
        self.quality.iter().find(|quality| quality.metric == metric)?.estimate()
    }

    /// Quality by the first metric, the frontier's.
    pub fn first_quality(&self) -> Option<Estimate> {
        self.quality.first()?.estimate()
    }

    /// Codes of the faults.
    pub fn fault_codes(&self) -> Vec<String> {
        self.reasons.iter().map(|reason| reason.code.name().into()).collect()
    }

    /// Codes and figures of the warnings.
    pub fn warning_texts(&self) -> Vec<String> {
        self.warnings.iter().map(|warning| format!("{}: {}", warning.code.name(), warning.figure)).collect()
    }
}
