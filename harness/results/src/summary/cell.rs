//! Figures of one cell: a row of `summary.csv`.

use std::collections::BTreeMap;

use dyno_measure::{Profile, Track, Verdict};
use dyno_stats::Standing;
use serde::Serialize;

/// One cell, summed up. Times in milliseconds; `None` where it wasn't measured or can't be bounded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellSummary {
    /// Test set.
    pub test_set: String,
    /// Track.
    pub track: Track,
    /// System.
    pub system: String,
    /// How thorough.
    pub profile: Profile,
    /// VALID, NOISY or INVALID.
    pub verdict: Verdict,
    /// Codes of what was wrong.
    pub reasons: Vec<String>,
    /// Codes and figures of what is worth a warning.
    pub warnings: Vec<String>,
    /// Against the cells of the same test set and track, by BLEU and words a second. Absent without BLEU, for
    /// what is INVALID or no translation, and for the second of twins.
    pub standing: Option<Standing>,
    /// Rounds that count.
    pub rounds: usize,
    /// Source words a second (official), median over rounds.
    pub words_per_second: Option<f64>,
    /// Lower end of its interval.
    pub words_per_second_low: Option<f64>,
    /// Upper end of its interval.
    pub words_per_second_high: Option<f64>,
    /// How surely the true median lies between the two.
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
    /// The same, if only the cores that were used are.
    pub words_per_dollar_pro_rata: Option<f64>,
    /// Mean latency.
    pub mean_ms: Option<f64>,
    /// Median latency.
    pub p50_ms: Option<f64>,
    /// The true one lies below this with 99 %.
    pub p50_bound_ms: Option<f64>,
    /// 90th percentile.
    pub p90_ms: Option<f64>,
    /// Its bound.
    pub p90_bound_ms: Option<f64>,
    /// 95th percentile.
    pub p95_ms: Option<f64>,
    /// Its bound.
    pub p95_bound_ms: Option<f64>,
    /// 99th percentile.
    pub p99_ms: Option<f64>,
    /// Its bound.
    pub p99_bound_ms: Option<f64>,
    /// 99.9th percentile.
    pub p999_ms: Option<f64>,
    /// Its bound.
    pub p999_bound_ms: Option<f64>,
    /// Slowest line.
    pub max_ms: Option<f64>,
    /// What a line costs whatever its length, by the fit over source lengths.
    pub line_ms: Option<f64>,
    /// What each source word adds.
    pub word_ms: Option<f64>,
    /// From launch to the first answer.
    pub start_ms: Option<f64>,
    /// Bytes of the model's files.
    pub model_bytes: Option<u64>,
    /// Peak resident memory, the largest of the rounds.
    pub peak_bytes: Option<u64>,
    /// The least that `peak_bytes` can be.
    pub floor_bytes: Option<u64>,
    /// BLEU.
    pub bleu: Option<f64>,
    /// Half of BLEU's 95 % bootstrap interval.
    pub bleu_confidence: Option<f64>,
    /// chrF.
    pub chrf: Option<f64>,
    /// Half of chrF's 95 % bootstrap interval.
    pub chrf_confidence: Option<f64>,
    /// Metrics of the user's own, by name.
    pub other_metrics: BTreeMap<String, f64>,
    /// SHA-256 of the answers that were scored.
    pub output: Option<String>,
}
