//! Disturbances of a round by the host, as a record holds them. `dyno-measure` finds and judges them.

use serde::{Deserialize, Serialize};

/// Disturbances during one attempt at a round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// Duration of the watch in seconds.
    pub seconds: f64,
    /// CPU time of the bench itself meanwhile, without its supervisors.
    pub bench_ns: u64,
    /// Share of the system's core time that the hypervisor took.
    pub steal_share: f64,
    /// Share of the system's core time that other processes took, up to the last answer.
    pub foreign_share: f64,
    /// Possible error of `foreign_share`, because the kernel counts ticks.
    pub foreign_margin: f64,
    /// Share of the system's core time that its own processes took unaccounted, and others if they can't be
    /// told apart. It is no reason to repeat the round.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unwaited_share: f64,
    /// Number of times that the cores were throttled.
    pub throttled: u64,
    /// Drift of the canary's chain and of its stream.
    pub canary_drift: [f64; 2],
    /// Share by which the adjusted clock ran faster than the host's oscillator, beyond what keeping the time
    /// needs; below zero if slower.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub clock_skew: f64,
    /// Exceeded limits in words; empty if the host was quiet.
    pub triggers: Vec<String>,
}

impl Noise {
    /// Whether a limit was exceeded.
    pub fn is_disturbed(&self) -> bool {
        !self.triggers.is_empty()
    }
}

/// Speed of the host at the beginning of a turn, by the canary's fixed work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostSpeed {
    /// Number of the turn, from 1, in which the systems start.
    pub turn: usize,
    /// Nanoseconds of the chain of dependent operations.
    pub chain_ns: u64,
    /// Nanoseconds of the stream through memory.
    pub stream_ns: u64,
}

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}
