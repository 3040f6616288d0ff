//! The parameters of a measurement: its thoroughness, its limits, and the lines that lengthen launches.

use serde::{Deserialize, Serialize};

use crate::load::LatencyLimit;
use crate::profile::Profile;
use crate::rules::Probe;
use crate::rules::limits::{LONG_LINE_BYTES, RUNAWAY_FACTOR};
use crate::test_set::Filler;

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
    /// Characters out for each character in, above which an answer runs away.
    pub runaway_factor: f64,
    /// MiB of memory that all processes of a system together may hold; all of the host's if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<f64>,
}

impl Limits {
    /// Seconds for the answer to `line`. The time grows with the length of an over-long line.
    pub fn seconds_for(&self, line: &[u8]) -> f64 {
        self.seconds_for_bytes(line.len())
    }

    /// Bytes of memory that all processes of a system together may hold.
    pub fn memory_bytes(&self) -> Option<u64> {
        self.memory_mib.map(|mebibytes| (mebibytes * f64::from(1 << 20)) as u64)
    }

    /// Seconds for the answer to a line of `bytes` bytes.
    pub fn seconds_for_bytes(&self, bytes: usize) -> f64 {
        self.line_seconds * (bytes as f64 / LONG_LINE_BYTES as f64).max(1.0)
    }
}

impl Default for Limits {
    fn default() -> Self {
        // A minute for a line and an hour for a file: far beyond any honest system on a test set.
        Self {
            line_seconds: 60.0,
            launch_seconds: 3600.0,
            noisy_repeats: None,
            runaway_factor: RUNAWAY_FACTOR as f64,
            memory_mib: None,
        }
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

/// Parameters of a measurement, the same for all of its systems.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// Thoroughness.
    pub profile: Profile,
    /// Seed of all random orders.
    pub seed: u64,
    /// Limits beyond which a system is given up.
    pub limits: Limits,
    /// Latency limit of the server track.
    pub load: LatencyLimit,
    /// Probes before the measurement.
    pub probes: Vec<Probe>,
    /// Lines that lengthen throughput launches.
    pub filler: Option<Filler>,
    /// Arrangement of the systems that are compared.
    pub interleave: Interleave,
}

impl Protocol {
    /// The protocol of a profile, with the probes that belong to it.
    pub fn of(profile: Profile) -> Self {
        let probes = profile.probes().to_vec();
        Self {
            profile,
            seed: 1,
            limits: Limits::default(),
            load: LatencyLimit::default(),
            probes,
            filler: None,
            interleave: Interleave::default(),
        }
    }

    /// Repeats of a round that the host disturbed.
    pub fn noisy_repeats(&self) -> usize {
        self.limits.noisy_repeats.unwrap_or(self.profile.noisy_repeats())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_over_long_line_has_more_time() {
        let limits = Limits { line_seconds: 3.0, ..Limits::default() };
        let seconds = |bytes: usize| limits.seconds_for(&vec![b'x'; bytes]);
        assert!([0, 1, 1000, LONG_LINE_BYTES].iter().all(|&bytes| seconds(bytes) == 3.0));
        assert!((seconds(8 * LONG_LINE_BYTES) - 24.0).abs() < 1e-9);
    }
}
