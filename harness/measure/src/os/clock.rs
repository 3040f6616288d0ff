//! Clocks: the time that all processes share, and the CPU time of this process; a seed of the kernel's.

use std::mem::MaybeUninit;

use super::status::checked;

/// Nanoseconds of the monotonic clock. All processes of a host share this clock, so that the supervisor's
/// launch time and the bench's arrival times can be subtracted.
pub fn monotonic_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds of the host's oscillator, which no process can adjust.
pub fn raw_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC_RAW)
}

fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: `time` is valid for writing one timespec.
    let status = unsafe { libc::clock_gettime(clock, time.as_mut_ptr()) };
    assert_eq!(status, 0, "Linux has both clocks");
    // SAFETY: the call succeeded, so it has filled `time`.
    let time = unsafe { time.assume_init() };
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
    let slack_ns: libc::c_ulong = 1;
    // SAFETY: PR_SET_TIMERSLACK takes one integer and touches no memory.
    checked(unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, slack_ns) }).map(drop)
}

/// CPU time of this process so far, in user mode and in the kernel.
pub fn own_cpu_ns() -> u64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is valid for writing one rusage.
    let status = unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) };
    assert_eq!(status, 0, "RUSAGE_SELF and a valid pointer can't fail");
    // SAFETY: zeroed memory is a valid rusage; the call filled it.
    let usage = unsafe { usage.assume_init() };
    nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime)
}

/// Nanoseconds of a `timeval`.
pub(super) fn nanoseconds(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000
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
