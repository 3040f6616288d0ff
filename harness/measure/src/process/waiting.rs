//! Silent systems: one that works will answer, and one that only waits for more input won't. One that waits for a core
//! is late through no fault of its own.
//!
//! A look reads the threads' waits and the CPU time of the tree. Judging them takes the time of the look, so that
//! the tests need no clock.

use std::time::{Duration, Instant};

use crate::constants::TIME_FOR_A_CORE;
use crate::os::tree::{self, Root, Wait};

/// Time without CPU use after which a system is idle, if a thread reads our pipe and none sleeps. Such a
/// system waits for more input and won't answer the line that it has.
const IDLE_TIME: Duration = Duration::from_millis(500);

/// Distinguishes a working system from one that waits for more input, and counts the time in which it gets no core.
#[derive(Default)]
pub(super) struct Waiting {
    /// CPU time of a tree that only reads, and the time at which this value was first seen.
    ran: Option<(u64, Instant)>,
    /// CPU time of the tree at the last look, if it was ready to run, and the time of that look.
    ready: Option<(u64, Instant)>,
    /// Time between looks in which the tree was ready and didn't run.
    starved: Duration,
}

impl Waiting {
    /// Whether the tree below `root` only waits for input from `pipe`.
    pub(super) fn is_idle(&mut self, root: Root, pipe: &str) -> bool {
        let pids = root.below();
        let ran_ns = tree::running_ns(&pids);
        self.judge(&tree::waits(&pids, pipe), ran_ns, Instant::now())
    }

    /// Time by which the system's limit is longer, since it waited for a core.
    pub(super) fn grace(&self) -> Duration {
        self.starved.min(TIME_FOR_A_CORE)
    }

    /// Whether a tree whose threads wait like this, and have run so long, is idle at `now`.
    fn judge(&mut self, waits: &[Wait], ran_ns: u64, now: Instant) -> bool {
        if let Some((_, since)) = self.ready.filter(|(before, _)| *before == ran_ns) {
            self.starved += now.duration_since(since);
        }
        self.ready = waits.contains(&Wait::Ready).then_some((ran_ns, now));
        // Beside an unknown wait, silence proves nothing. Then the time limit alone decides.
        let may_go_on = |wait: &Wait| matches!(wait, Wait::Ready | Wait::Asleep | Wait::Unknown);
        let may_go_on = waits.iter().any(may_go_on);
        if may_go_on || !waits.contains(&Wait::Reading) {
            self.ran = None;
            return false;
        }
        match self.ran {
            Some((before, since)) if before == ran_ns => now.duration_since(since) >= IDLE_TIME,
            _ => {
                self.ran = Some((ran_ns, now));
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks at a tree after so many milliseconds each: how its threads wait, its CPU time, and whether it is idle.
    fn looked_at(looks: &[(u64, &[Wait], u64, bool)]) {
        let (mut waiting, start) = (Waiting::default(), Instant::now());
        for &(ms, waits, ran_ns, expected) in looks {
            let judged = waiting.judge(waits, ran_ns, start + Duration::from_millis(ms));
            assert_eq!(judged, expected, "after {ms} ms of {looks:?}");
        }
    }

    #[test]
    fn a_tree_is_idle_that_only_reads_for_half_a_second() {
        use Wait::{Asleep, Reading, Ready, Unknown};
        let reads: &[Wait] = &[Reading];
        looked_at(&[(0, reads, 7, false), (499, reads, 7, false), (500, reads, 7, true)]);
        looked_at(&[
            (0, reads, 7, false),
            (400, reads, 8, false),
            (600, reads, 8, false),
            (900, reads, 8, true),
        ]);
        for other in [Ready, Asleep, Unknown] {
            looked_at(&[(0, reads, 7, false), (400, &[Reading, other], 7, false), (800, reads, 7, false)]);
        }
        looked_at(&[(0, &[], 7, false), (900, &[], 7, false)]);
    }

    #[test]
    fn a_limit_is_longer_by_the_time_without_a_core() {
        use Wait::{Asleep, Reading, Ready};
        let grace = |looks: &[(u64, Wait, u64)]| {
            let (mut waiting, start) = (Waiting::default(), Instant::now());
            for &(ms, wait, ran_ns) in looks {
                waiting.judge(&[wait, Reading], ran_ns, start + Duration::from_millis(ms));
            }
            waiting.grace().as_millis()
        };
        assert_eq!(grace(&[(0, Ready, 7), (100, Ready, 8), (200, Ready, 9)]), 0, "it runs");
        assert_eq!(grace(&[(0, Asleep, 7), (100, Asleep, 7)]), 0, "it sleeps");
        assert_eq!(grace(&[(0, Ready, 7), (9_000, Ready, 7), (9_100, Ready, 8), (9_300, Ready, 8)]), 9_200);
        assert_eq!(grace(&[(0, Ready, 7), (400_000, Ready, 7)]), 60_000, "no wait is without end");
    }
}
