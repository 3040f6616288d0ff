//! The latency limit of the server track: the rate that counts is the greatest one which keeps it, or the one that a
//! campaign asks about.

use serde::{Deserialize, Serialize};

/// Limit that a percentile of the lines' times must keep.
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
