//! The parameters of a measurement: its thoroughness, its limits, and the lines that lengthen launches.

use serde::{Deserialize, Serialize};

use crate::profile::Profile;
use crate::rules::Probe;
use crate::test_set::Filler;

/// Limits beyond which a system is given up, or a disturbed round is kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Seconds for one line in the latency track. The first line, whose time includes loading, gets more.
    pub line_seconds: f64,
    /// Seconds for one launch in the throughput tracks, and for a whole round in the latency track.
    pub launch_seconds: f64,
    /// Repeats of a round that the host disturbed; the profile's number if absent.
    pub noisy_repeats: Option<usize>,
}

impl Default for Limits {
    fn default() -> Self {
        // A minute for a line and an hour for a file: far beyond any honest system on a test set.
        Self { line_seconds: 60.0, launch_seconds: 3600.0, noisy_repeats: None }
    }
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
    /// Probes before the measurement.
    pub probes: Vec<Probe>,
    /// Lines that lengthen throughput launches.
    pub filler: Option<Filler>,
}

impl Protocol {
    /// The protocol of a profile, with the probes that belong to it.
    pub fn of(profile: Profile) -> Self {
        let probes = profile.probes().to_vec();
        Self { profile, seed: 1, limits: Limits::default(), probes, filler: None }
    }

    /// Repeats of a round that the host disturbed.
    pub fn noisy_repeats(&self) -> usize {
        self.limits.noisy_repeats.unwrap_or(self.profile.noisy_repeats())
    }
}
