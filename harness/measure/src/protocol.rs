//! The parameters of a measurement: its thoroughness, its limits, and the lines that lengthen launches.

use dyno_record::{Interleave, LatencyLimit, Limits, Probe, Profile};

use crate::{Filler, Recording};

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
    /// Numbers of clients of the server track's closed loop, ascending; none without one.
    pub clients: Vec<usize>,
    /// Recorded arrivals that the server track replays, instead of random ones.
    pub arrivals: Option<Recording>,
    /// Probes before the measurement.
    pub probes: Vec<Probe>,
    /// Lines that lengthen throughput launches.
    pub filler: Option<Filler>,
    /// Arrangement of the systems that are compared.
    pub interleave: Interleave,
    /// Whether launches of lock-step read their models from the disk.
    pub cold_start: bool,
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
            clients: Vec::new(),
            arrivals: None,
            probes,
            filler: None,
            interleave: Interleave::default(),
            cold_start: false,
        }
    }

    /// Repeats of a round that the host disturbed.
    pub fn noisy_repeats(&self) -> usize {
        self.limits.noisy_repeats.unwrap_or(self.profile.noisy_repeats())
    }
}
