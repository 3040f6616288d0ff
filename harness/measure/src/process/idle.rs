//! CPU time that a system uses while it isn't asked, or is stopped. Systems that share their seconds must not
//! take each other's.

use std::time::{Duration, Instant};

use dyno_record::rules::limits::BUSY_IDLE;
use dyno_record::{Code, Reason};
use dyno_stats::is_beyond;

use super::stopping::LEAST_STOPS;
use crate::os::tree::{self, Root};

/// Time after an answer in which a runtime may clean up.
pub const CLEAN_UP: Duration = Duration::from_millis(250);
/// Share of all the time between its slices that a system may use, its clean-up included.
pub const MOST_CLEAN_UP: f64 = 0.25;
/// CPU time that proves nothing: the kernel's own work for a process, such as a page that it moves.
pub const IDLE_SLACK: Duration = Duration::from_millis(2);

/// CPU time of a system between its slices.
#[derive(Default)]
pub struct IdleTime {
    begun: Option<Reading>,
    /// Reading when the time for clean-up was over.
    marked: Option<Reading>,
    /// All time between slices.
    all: Used,
    /// Time after the clean-up.
    late: Used,
    /// Number of stops in which the system has run, and of all.
    stops: [usize; 2],
}

#[derive(Clone, Copy, Default)]
struct Used {
    wall: Duration,
    cpu: Duration,
}

impl Used {
    fn add(&mut self, since: Reading, now: Reading) {
        self.wall += now.at.duration_since(since.at);
        self.cpu += now.cpu_since(since);
    }

    /// Share of a core in use, if it is more than nothing.
    fn share(&self) -> f64 {
        self.cpu.saturating_sub(IDLE_SLACK).as_secs_f64() / self.wall.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// CPU time of a system at a moment.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    at: Instant,
    /// Time of the living threads, exact.
    running_ns: u64,
    /// Time of all threads, in ticks.
    taken_ns: u64,
}

impl Reading {
    pub(super) fn of(root: Root) -> Self {
        let pids = root.below();
        Self { at: Instant::now(), running_ns: tree::running_ns(&pids), taken_ns: tree::taken_ns(&pids) }
    }

    /// CPU time since `earlier`. The ticks add the time of threads that have ended meanwhile.
    pub(super) fn cpu_since(&self, earlier: Self) -> Duration {
        let ticks = self.taken_ns.saturating_sub(earlier.taken_ns).saturating_sub(2 * tree::TICK_NS);
        Duration::from_nanos(self.running_ns.saturating_sub(earlier.running_ns).max(ticks))
    }
}

impl IdleTime {
    pub(super) fn begin(&mut self, now: Reading) {
        (self.begun, self.marked) = (Some(now), None);
    }

    /// Marks the end of the clean-up, once it is over at `now`.
    pub(super) fn mark_if_due(&mut self, now: Instant, read: impl FnOnce() -> Reading) {
        let is_over = |begun: Reading| now.duration_since(begun.at) >= CLEAN_UP;
        if self.marked.is_none() && self.begun.is_some_and(is_over) {
            self.marked = Some(read());
        }
    }

    pub(super) fn end(&mut self, now: Reading) {
        let Some(begun) = self.begun.take() else { return };
        self.all.add(begun, now);
        if let Some(marked) = self.marked.take() {
            self.late.add(marked, now);
        }
    }

    /// Adds a stop, in which the system has rested or not. A stopped system has nothing to clean up.
    pub(super) fn add_stop(&mut self, has_rested: bool) {
        let [ran, all] = self.stops;
        self.stops = [ran + usize::from(!has_rested), all + 1];
    }

    /// Fault of a system that has worked.
    pub fn fault(&self) -> Option<Reason> {
        let [ran, all] = self.stops;
        if all >= LEAST_STOPS && is_beyond(ran, all, BUSY_IDLE) {
            return Some(Code::BusyIdle.reason(format!("it ran in {ran} of {all} stops")));
        }
        let (late, all) = (self.late.share(), self.all.share());
        let figure = |share: f64, when: &str| {
            Code::BusyIdle.reason(format!("{:.1} % of a core {when}", share * 100.0))
        };
        if late > BUSY_IDLE {
            return Some(figure(late, &format!("from {} ms after its answers on", CLEAN_UP.as_millis())));
        }
        (all > MOST_CLEAN_UP).then(|| figure(all, "between its answers and the next question"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(late: [u64; 2], all: [u64; 2]) -> Option<String> {
        let used = |[cpu, wall]: [u64; 2]| Used {
            wall: Duration::from_millis(wall),
            cpu: Duration::from_millis(cpu),
        };
        let idle = IdleTime { late: used(late), all: used(all), ..IdleTime::default() };
        idle.fault().map(|fault| fault.figure)
    }

    #[test]
    fn a_short_clean_up_is_no_fault_and_work_without_a_question_is() {
        assert_eq!(used([0, 0], [0, 0]), None);
        assert_eq!(used([2, 100], [200, 1000]), None, "it cleans up, and rests then");
        assert_eq!(used([12, 1000], [12, 2000]), None, "1 % and what proves nothing");
        assert_eq!(used([52, 1000], [52, 2000]).unwrap(), "5.0 % of a core from 250 ms after its answers on");
        assert_eq!(
            used([0, 0], [302, 1000]).unwrap(),
            "30.0 % of a core between its answers and the next question"
        );
    }

    #[test]
    fn a_system_that_runs_while_it_is_stopped_is_told_by_the_number_of_stops() {
        let fault = |ran: usize, all: usize| {
            let mut idle = IdleTime::default();
            (0..all).for_each(|i| idle.add_stop(i >= ran));
            idle.fault().map(|fault| fault.figure)
        };
        assert_eq!((fault(0, 1000), fault(9, 9)), (None, None), "at rest; too few to tell");
        assert_eq!((fault(1, 10), fault(3, 100)), (None, None), "once, and what chance adds");
        assert_eq!(fault(2, 10).unwrap(), "it ran in 2 of 10 stops");
        assert_eq!(fault(5, 100).unwrap(), "it ran in 5 of 100 stops");
    }

    /// Figure of a system between two slices that is read after so many milliseconds, each with its CPU time by then.
    fn watched(looks: &[[u64; 2]], asked_again: [u64; 2]) -> Option<String> {
        let start = Instant::now();
        let reading = |[ms, cpu_ms]: [u64; 2]| Reading {
            at: start + Duration::from_millis(ms),
            running_ns: cpu_ms * 1_000_000,
            taken_ns: 0,
        };
        let mut idle = IdleTime::default();
        idle.begin(reading([0, 0]));
        for &look in looks {
            idle.mark_if_due(reading(look).at, || reading(look));
        }
        idle.end(reading(asked_again));
        idle.fault().map(|fault| fault.figure)
    }

    #[test]
    fn work_counts_from_the_first_look_after_the_clean_up() {
        assert_eq!(watched(&[[100, 90], [250, 200]], [1250, 200]), None, "it cleans up");
        let late = watched(&[[100, 0], [250, 0], [900, 50]], [1250, 52]).unwrap();
        assert_eq!(late, "5.0 % of a core from 250 ms after its answers on");
        assert_eq!(watched(&[[249, 0]], [400, 30]), None, "no look after the clean-up, and little in all");
    }
}
