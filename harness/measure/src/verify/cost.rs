//! The cost of a probe: how often it starts a system, and for how long a slow system may keep it busy.

use dyno_record::{Limits, Probe, Track};

use super::examinee::FEWEST_LINES;
use super::{cache, lines};
use crate::constants::LEAST_PAIRS_OF_A_SLOW_SYSTEM;
use crate::process::lockstep::LOADING;
use crate::process::silence;

/// Seconds until a system that never answers in `track` is INVALID there.
pub fn hanging_seconds(track: Track, limits: &Limits) -> f64 {
    match track.answers_lines() {
        true => LOADING * limits.line_seconds + silence::most_seconds(limits.line_seconds),
        false => limits.launch_seconds,
    }
}

/// Number of launches in `track`, if nothing stands out.
pub const fn launches(probe: Probe, track: Track) -> usize {
    match (probe, track.answers_lines()) {
        (Probe::Buffering | Probe::Cache, false) | (Probe::Coalescing, true) => 0,
        (Probe::Buffering | Probe::Audit | Probe::Sameness | Probe::Length, _)
        | (Probe::Cache | Probe::Recognition, true) => 1,
        (Probe::Determinism, _) => 2,
        (Probe::Conformance, true) | (Probe::Coalescing, false) => 3,
        (Probe::Conformance, false) => 4,
        (Probe::Recognition, false) => 5,
    }
}

/// Seconds that the probe takes in `track` with a system that needs all of its time limits.
pub fn most_seconds(probe: Probe, track: Track, limits: &Limits) -> f64 {
    let started = launches(probe, track) as f64;
    if !track.answers_lines() {
        return started * limits.launch_seconds;
    }
    let each = limits.line_seconds;
    let loading = started * (LOADING - 1.0) * each;
    let asked = match probe {
        Probe::Conformance => {
            let odd: f64 = lines::odd().iter().map(|(_, line)| limits.seconds_for(line)).sum();
            return loading + odd + (2 * FEWEST_LINES) as f64 * each;
        }
        Probe::Buffering => 2, // the first answer, and one that uses up the budget
        Probe::Length => 2 * FEWEST_LINES,
        Probe::Cache => cache::QUESTIONS * LEAST_PAIRS_OF_A_SLOW_SYSTEM,
        Probe::Recognition => 3 * LEAST_PAIRS_OF_A_SLOW_SYSTEM,
        _ => launches(probe, track) * FEWEST_LINES,
    };
    loading + asked as f64 * each
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_costs_what_the_limits_allow() {
        let limits = Limits { line_seconds: 3.0, launch_seconds: 10.0, ..Limits::default() };
        let most = |probe, track| most_seconds(probe, track, &limits);
        assert_eq!(most(Probe::Buffering, Track::Latency), 15.0, "four times for loading, then a line");
        assert_eq!(most(Probe::Buffering, Track::Throughput1), 0.0);
        assert_eq!(most(Probe::Coalescing, Track::ThroughputAll), 30.0);
        let bytes = lines::odd()[lines::OVERLONG].1.len() as f64;
        let expected = 3.0 * (3.0 * 3.0 + 18.0 + bytes / 1024.0 + 8.0);
        assert!((most(Probe::Conformance, Track::Latency) - expected).abs() < 1e-9);
    }
}
