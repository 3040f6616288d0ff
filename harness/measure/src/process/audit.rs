//! The audit: whether a system keeps to its cores.
//!
//! The affinity is set before the system's first instruction, but a program can widen its own mask. The audit
//! therefore looks at the masks of all threads while the system runs. It also compares CPU time with wall
//! time, over the whole launch and over every stretch between two looks. The stretches matter because a
//! system could sleep first and use several cores later, which the whole launch doesn't show.

use std::time::{Duration, Instant};

use dyno_record::rules::limits::CPU_SHARE_TOLERANCE;
use dyno_record::{Audit, Code, Reason};

use crate::os::tree::{self, Root};

/// Time between two looks at a launch, after its beginning: often enough for any round. A look takes some
/// tens of microseconds.
pub const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// Time of the first look, so that short launches are seen at all. Each further interval is half as long as
/// the time so far.
const FIRST_LOOK: Duration = Duration::from_millis(5);

/// Tolerated difference between the clocks of the cores on a launch of any length: a tick of the slowest
/// kernels.
const CPU_SLACK_NS: u64 = tree::TICK_NS;
/// Tolerated difference on a stretch of a launch. At both ends each process is off by up to a tick in user
/// mode and one in the kernel.
const STRETCH_SLACK_NS: u64 = 5 * tree::TICK_NS;

/// Audit of a process tree while it runs.
#[derive(Clone, Debug, Default)]
pub struct Auditor {
    /// Findings so far.
    pub audit: Audit,
    /// Times of the first and the last look.
    clock: Option<[Instant; 2]>,
    stretch: BusyStretch,
    /// Time in which the system was stopped.
    pub stopped: Duration,
}

/// The stretch up to now with the most CPU time beyond what the cores can give: a running sum that restarts
/// when it falls below zero (Page 1954).
#[derive(Clone, Debug, Default, PartialEq)]
struct BusyStretch {
    begin: Option<Reading>,
    last: Option<Reading>,
}

/// CPU time of a tree, read between two moments. The moments may lie far apart, because the bench has to wait
/// for a core too.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    taken_ns: u64,
    from: Instant,
    to: Instant,
}

impl Reading {
    /// Reads the time of `pids`, on a clock that stood still while the system was `stopped`.
    fn of(pids: &[u32], stopped: Duration) -> Self {
        let from = Instant::now();
        let taken_ns = tree::taken_ns(pids);
        Self { taken_ns, from: from - stopped, to: Instant::now() - stopped }
    }
}

impl BusyStretch {
    /// Extends the stretch to `now`, and returns the figure if the CPU time is too much. The stretch counts
    /// with the longest duration that it may have had.
    fn extend(&mut self, now: Reading, cores: usize, processes: usize) -> Option<String> {
        if self.last.is_some_and(|last| now.taken_ns < last.taken_ns) {
            return None; // a process ended during the reading; the next look finds its time with the parent
        }
        self.last = Some(now);
        let begin = *self.begin.get_or_insert(now);
        let taken = (now.taken_ns - begin.taken_ns) as f64 / 1e9;
        let wall = now.to.duration_since(begin.from).as_secs_f64();
        let most = wall * cores as f64 * (1.0 + CPU_SHARE_TOLERANCE);
        if taken < most {
            self.begin = Some(now);
            return None;
        }
        let slack = STRETCH_SLACK_NS + 2 * tree::TICK_NS * processes as u64;
        let figure = || format!("{:.2} cores busy of {cores} allowed for {wall:.1} s", taken / wall);
        (taken > most + slack as f64 / 1e9).then(figure)
    }
}

impl Auditor {
    /// Looks at every process below `root` if a look is due.
    pub fn look_if_due(&mut self, root: Root, allowed: &[usize]) {
        if self.is_due() {
            self.look(root, allowed);
        }
    }

    /// Whether the next look is due. The interval varies, so that a system can't adapt to a fixed beat.
    fn is_due(&self) -> bool {
        let Some([first, last]) = self.clock else { return true };
        let offbeat = last.duration_since(first).subsec_nanos() % 512;
        last.elapsed() >= pause(last.duration_since(first)).mul_f64(0.75 + f64::from(offbeat) / 1024.0)
    }

    /// Looks at every process below `root`.
    pub fn look(&mut self, root: Root, allowed: &[usize]) {
        let pids = root.below();
        let threads = pids.iter().map(|&pid| tree::threads_of(pid).len()).sum();
        let audit = &mut self.audit;
        audit.looks += 1;
        audit.most_processes = audit.most_processes.max(pids.len());
        audit.most_threads = audit.most_threads.max(threads);
        if audit.escaped.is_none() {
            audit.escaped = pids.iter().find_map(|&pid| tree::escaped_thread(pid, allowed));
        }
        let now = Instant::now();
        let reading = Reading::of(&pids, self.stopped);
        let overdrawn = self.stretch.extend(reading, allowed.len(), pids.len());
        audit.overdrawn = overdrawn.or(audit.overdrawn.take());
        self.clock = Some([self.clock.map_or(now, |[first, _]| first), now]);
    }
}

/// Time to the next look at a running system: short at first, so that short launches are seen at all; then half a
/// second.
pub(super) fn pause(elapsed: Duration) -> Duration {
    (elapsed / 2).clamp(FIRST_LOOK, LOOK_INTERVAL)
}

/// Reason if the CPU time exceeds what `cores` cores can give in `wall_ns`.
pub fn cpu_share(cpu_ns: u64, wall_ns: u64, cores: usize) -> Option<Reason> {
    let most = wall_ns as f64 * cores as f64 * (1.0 + CPU_SHARE_TOLERANCE);
    let used = cpu_ns.saturating_sub(CPU_SLACK_NS * cores as u64) as f64;
    let figure = || format!("{:.2} cores busy of {cores} allowed", cpu_ns as f64 / wall_ns as f64);
    (wall_ns > 0 && used > most).then(|| Code::CpuShare.reason(figure()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_compared_with_the_allowed_cores() {
        let second = 1_000_000_000;
        assert_eq!(cpu_share(second, second, 1), None);
        assert_eq!(cpu_share(second * 102 / 100, second, 1), None);
        let reason = cpu_share(2 * second, second, 1).unwrap();
        assert_eq!((reason.code, reason.figure.as_str()), (Code::CpuShare, "2.00 cores busy of 1 allowed"));
        assert_eq!(cpu_share(2 * second, second, 2), None);
        assert_eq!(cpu_share(12_000_000, 2_000_000, 1), None, "too short to tell");
    }

    /// Figure after some looks: the seconds from and to which each look lasted, and the CPU time by then.
    fn says(cores: usize, looks: impl IntoIterator<Item = ([f64; 2], f64)>) -> Option<String> {
        let (begin, mut stretch) = (Instant::now(), BusyStretch::default());
        let look = |(seconds, taken): ([f64; 2], f64)| {
            let [from, to] = seconds.map(|seconds| begin + Duration::from_secs_f64(seconds));
            stretch.extend(Reading { taken_ns: (taken * 1e9) as u64, from, to }, cores, 1)
        };
        looks.into_iter().filter_map(look).last()
    }

    /// Figure after looks half a second apart, with the CPU time since the last look in milliseconds.
    fn overdrawn(cores: usize, taken_ms: &[u64]) -> Option<String> {
        let total = |i: usize| taken_ms[..=i].iter().sum::<u64>() as f64 / 1e3;
        says(cores, (0..taken_ms.len()).map(|i| ([i as f64 / 2.0; 2], total(i))))
    }

    #[test]
    fn earlier_sleep_does_not_excuse_later_use_of_several_cores() {
        assert_eq!(overdrawn(1, &[0, 500, 510, 490, 505]), None);
        assert_eq!(overdrawn(2, &[0, 1000, 1010, 400, 1000]), None);
        let figure = overdrawn(1, &[0, 0, 0, 0, 0, 900, 900]).unwrap();
        assert_eq!(figure, "1.80 cores busy of 1 allowed for 1.0 s");
        assert_eq!(overdrawn(1, &[0, 540, 460, 540, 460]), None, "ticks come late now and then");
        assert!(overdrawn(1, &[0, 540, 540, 540, 540, 540]).is_some(), "but not always");
    }

    #[test]
    fn a_delayed_reading_of_the_bench_raises_no_fault() {
        let held_up = |end| [([0.0, 0.0], 0.0), ([0.1, end], 0.26), ([0.5, 0.5], 0.5)];
        assert_eq!(says(1, held_up(0.26)), None);
        assert!(says(1, held_up(0.1)).is_some(), "at once, it is too much");
    }

    #[test]
    fn a_reading_below_the_last_one_is_left_out() {
        let looks = [(0.0, 0.0), (0.5, 0.5), (0.1, 1.0), (1.5, 1.5)];
        assert_eq!(says(1, looks.map(|(taken, at)| ([at; 2], taken))), None);
    }
}
