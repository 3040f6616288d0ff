//! Clocks: the time that all processes share, and the CPU time of this process; a seed of the kernel's.

use std::num::NonZeroU64;

use rustix::thread::set_current_timer_slack;
use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of the monotonic clock. All processes of a host share this clock, so that the supervisor's
/// launch time and the bench's arrival times can be subtracted.
pub fn monotonic_ns() -> u64 {
    clock_ns(ClockId::Monotonic)
}

/// Nanoseconds of the host's oscillator, which no process can adjust.
pub fn raw_ns() -> u64 {
    clock_ns(ClockId::MonotonicRaw)
}

/// CPU time of this process so far, in user mode and in the kernel.
pub fn own_cpu_ns() -> u64 {
    clock_ns(ClockId::ProcessCPUTime)
}

fn clock_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// A seed that no system can foresee, from the kernel's random numbers: a clock is known to every system. A system
/// may have seen the questions of an earlier run, or of an earlier part of this one.
pub fn fresh_seed() -> u64 {
    getrandom::u64().expect("Linux has random numbers for every process")
}

/// Lets the calling thread wake at the nanosecond that it asks for. By default the kernel may add 50 µs, to
/// join wake-ups (PR_SET_TIMERSLACK, prctl(2)).
pub fn sharpen_timers() -> std::io::Result<()> {
    Ok(set_current_timer_slack(Some(NonZeroU64::MIN))?)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_fresh_seed_is_no_clock() {
        // The upper half of a clock in nanoseconds stays the same for four seconds.
        let upper: HashSet<u64> = (0..16).map(|_| fresh_seed() >> 32).collect();
        assert_eq!(upper.len(), 16, "two in 2 ^ 32 are equal by chance");
    }
}
