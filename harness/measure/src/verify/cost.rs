//! The cost of a probe: how often it starts a system, and for how long a slow system may keep it busy.

use dyno_record::{Limits, Probe, Track};

use super::examinee::{BUDGET, FEWEST_LINES, LEAST_LINES, TIMED_BUDGET};
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
const fn launches(probe: Probe, track: Track) -> usize {
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

/// Lines that a launch of a probe gets at most; of the probe of conformance, those between the odd ones.
const LINES: f64 = 400.0;

/// Bytes of the odd lines that take the time of a word: most of them are an over-long line of words of 160 letters. In
/// runs on Zen 5 they were 2 to 4 for translators, which cut such words into letters, and 14 to 24 for language models,
/// which read them at once. This value lies between.
const WORD_BYTES: f64 = 10.0;

/// Seconds that the probe usually takes in `track` with a system that takes `start` seconds to start, and so many for a
/// word and for a line. A slow system gets fewer lines, but all of the odd ones.
pub fn usual_seconds(probe: Probe, track: Track, start: f64, word: f64, line: f64) -> f64 {
    let least = (LEAST_LINES as f64 * line).min(TIMED_BUDGET.as_secs_f64());
    let budget = BUDGET.as_secs_f64().max(least).max(FEWEST_LINES as f64 * line);
    let bytes: usize = match probe {
        Probe::Conformance => lines::odd().iter().map(|(_, line)| line.len()).sum(),
        _ => 0,
    };
    launches(probe, track) as f64 * (start + budget.min(LINES * line)) + bytes as f64 / WORD_BYTES * word
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
            let odd: f64 = lines::odd().iter().map(|(_, line)| limits.seconds_for(line.len())).sum();
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

    #[test]
    fn a_slow_system_gets_few_lines_but_all_odd_ones() {
        let usual = |probe, line: f64| usual_seconds(probe, Track::Latency, 0.5, line / 10.0, line);
        assert_eq!(usual(Probe::Sameness, 0.001), 0.5 + 0.4, "400 lines");
        assert_eq!(usual(Probe::Sameness, 0.01), 0.5 + 1.0, "a second of lines");
        assert_eq!(usual(Probe::Sameness, 0.5), 0.5 + 8.0, "16 lines");
        assert_eq!(usual(Probe::Sameness, 2.0), 0.5 + 20.0, "20 seconds of lines");
        assert_eq!(usual(Probe::Sameness, 9.0), 0.5 + 36.0, "4 lines");
        let odd = usual(Probe::Conformance, 0.1) - 3.0 * (0.5 + 1.6);
        // Some 17,000 bytes, at a hundredth of a second for a word.
        assert!((14.0..22.0).contains(&odd), "{odd}");
    }
}
