//! The limits of a campaign, and how its systems are arranged.

use serde::{Deserialize, Serialize};

use crate::rules::limits::{LONG_LINE_BYTES, RUNAWAY_FACTOR};

/// Limits beyond which a system is given up, or a disturbed round is kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Seconds for one line in the latency track. The first line, whose time includes loading, gets more, and so
    /// does an over-long line.
    pub line_seconds: f64,
    /// Seconds for one launch in the throughput tracks, and for a whole round in the latency track.
    pub launch_seconds: f64,
    /// Repeats of a round that the host disturbed; the profile's number if absent.
    pub noisy_repeats: Option<usize>,
    /// Characters out for each character in, above which an answer runs away; [`RUNAWAY_FACTOR`] if absent, as in
    /// runs from before campaigns could set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runaway_factor: Option<f64>,
    /// MiB of memory that all processes of a system together may hold; all of the host's if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<f64>,
}

impl Limits {
    /// Seconds for the answer to a line of `bytes` bytes. The time grows with the length of an over-long line.
    pub fn seconds_for(&self, bytes: usize) -> f64 {
        self.line_seconds * (bytes as f64 / LONG_LINE_BYTES as f64).max(1.0)
    }

    /// Characters out for each character in, above which an answer runs away.
    pub fn runaway_factor(&self) -> f64 {
        self.runaway_factor.unwrap_or(RUNAWAY_FACTOR as f64)
    }

    /// Bytes of memory that all processes of a system together may hold.
    pub fn memory_bytes(&self) -> Option<u64> {
        self.memory_mib.map(|mebibytes| (mebibytes * f64::from(1 << 20)) as u64)
    }
}

impl Default for Limits {
    fn default() -> Self {
        // A minute for a line and an hour for a file: far beyond any honest system on a test set.
        Self {
            line_seconds: 60.0,
            launch_seconds: 3600.0,
            noisy_repeats: None,
            runaway_factor: Some(RUNAWAY_FACTOR as f64),
            memory_mib: None,
        }
    }
}

/// Limit of the server track that a percentile of the lines' times must keep. The rate that counts is the greatest one
/// which keeps it, or the one that a campaign asks about.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencyLimit {
    /// Milliseconds from a line's planned arrival to its answer.
    pub limit_ms: f64,
    /// Percentile of the times that must stay within the limit.
    pub percentile: f64,
    /// The only rate of arrival to try, in lines a second: does the system hold it? Without one, the greatest rate is
    /// looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
}

impl Default for LatencyLimit {
    fn default() -> Self {
        // A quarter of a second still feels immediate in a chat, network included; the 99th percentile is what
        // MLPerf's server scenario asks of translation.
        Self { limit_ms: 250.0, percentile: 99.0, rate: None }
    }
}

/// Arrangement of the systems that are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Interleave {
    /// All systems of a test set and track are alive side by side, and take turns of a fraction of a second.
    #[default]
    Slices,
    /// One system's round follows another's.
    Rounds,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_over_long_line_has_more_time() {
        let limits = Limits { line_seconds: 3.0, ..Limits::default() };
        let seconds = |bytes: usize| limits.seconds_for(bytes);
        assert!([0, 1, 1000, LONG_LINE_BYTES].iter().all(|&bytes| seconds(bytes) == 3.0));
        assert!((seconds(8 * LONG_LINE_BYTES) - 24.0).abs() < 1e-9);
    }
}
