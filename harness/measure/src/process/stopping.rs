//! Stops and continues all processes of a system, so that the systems of a group take turns within a launch.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use dyno_record::rules::limits::MOST_WAITING;
use dyno_record::{Code, Reason};
use dyno_stats::is_beyond;

use crate::constants::{TIME_FOR_A_CORE, TIME_TO_STOP};
use crate::os::tree::{self, Root, Thread};
use crate::os::{Signal, send_signal};

/// Pause between two looks at processes that should stop, which takes microseconds.
const LOOK: Duration = Duration::from_micros(50);

/// Stops below which their number proves nothing.
pub const LEAST_STOPS: usize = 10;

/// Times in which a launch was stopped.
#[derive(Debug, Default)]
pub struct Stops {
    /// Beginning and end of each stop, in monotonic nanoseconds.
    times: Vec<[u64; 2]>,
    /// Stops that met no thread at work.
    idle: usize,
}

impl Stops {
    /// Adds a stop, which met a thread at work or not.
    pub fn add(&mut self, from_ns: u64, to_ns: u64, met_work: bool) {
        self.times.push([from_ns, to_ns]);
        self.idle += usize::from(!met_work);
    }

    /// Fault of a system that waits for something other than its cores: what it waits for goes on while the
    /// system is stopped, and would cost it nothing. On a busy host a working system meets a few such moments by
    /// chance, where the bench itself has to wait for a core and leaves a pipe full.
    pub fn fault(&self) -> Option<Reason> {
        let (idle, all) = (self.idle, self.times.len());
        let waits = all >= LEAST_STOPS && is_beyond(idle, all, MOST_WAITING);
        waits.then(|| Code::Waits.reason(format!("it was waiting at {idle} of {all} moments")))
    }

    /// Nanoseconds of all stops before `end_ns`: a system may end just before it is stopped.
    pub fn before(&self, end_ns: u64) -> u64 {
        self.times.iter().map(|[from, to]| end_ns.min(*to).saturating_sub(*from)).sum()
    }
}

/// Stops every process below `root`, and says whether one of them was at work. Looks again until all of them
/// rest, because one of them may start another meanwhile. Otherwise returns the number of a process that
/// doesn't stop.
pub fn stop(root: Root) -> Result<bool, u32> {
    let met_work =
        everything_below(root).into_iter().flat_map(tree::states_of).any(|state| matches!(state, 'R' | 'D'));
    everything_below(root).into_iter().for_each(|pid| send_signal(pid, Signal::STOP));
    let (begin, mut ran_ns) = (Instant::now(), None);
    until_all_rest(|| stop_again(root, &mut ran_ns), || begin.elapsed()).map(|()| met_work)
}

/// A process that was told to stop and still runs.
#[derive(Clone, Copy)]
struct Running {
    pid: u32,
    /// Whether it has had a core since. One that waits for a core stops as soon as it gets one.
    has_run: bool,
}

/// Looks until no process runs any more. Otherwise returns the number of one that still runs when a look has begun
/// after its time: the bench itself may wait for a core between two looks.
fn until_all_rest(
    mut look: impl FnMut() -> Option<Running>,
    mut elapsed: impl FnMut() -> Duration,
) -> Result<(), u32> {
    let mut waited = elapsed();
    while let Some(running) = look() {
        let limit = if running.has_run { TIME_TO_STOP } else { TIME_FOR_A_CORE };
        if waited > limit {
            return Err(running.pid);
        }
        waited = elapsed();
    }
    Ok(())
}

/// Stops every process that still runs, with a pause behind it, and returns the first. `ran_ns` keeps the CPU time of
/// each process at the first look that meets one running: most stops need no such look.
fn stop_again(root: Root, ran_ns: &mut Option<HashMap<u32, u64>>) -> Option<Running> {
    let all = everything_below(root);
    let running: Vec<u32> = all.iter().copied().filter(|&pid| !rests(pid)).collect();
    let pid = *running.first()?;
    let ran_ns =
        ran_ns.get_or_insert_with(|| all.iter().map(|&pid| (pid, tree::running_ns(&[pid]))).collect());
    let before_ns = ran_ns.get(&pid).unwrap_or(&0);
    let has_run = tree::running_ns(&[pid]) > before_ns + AWAKE_NS;
    running.into_iter().for_each(|pid| send_signal(pid, Signal::STOP));
    std::thread::sleep(LOOK);
    Some(Running { pid, has_run })
}

/// Whether a process that was told to stop does no work: its threads are stopped, have ended, or will stop
/// before their next instruction. The last are in a wait without signals (D), such as for a child that is to
/// start another program and is stopped itself.
fn rests(pid: u32) -> bool {
    tree::states_of(pid).into_iter().all(|state| matches!(state, 'T' | 't' | 'Z' | 'X' | 'D'))
}

/// Continues every process below `root`, children before parents: a parent that waits for its child sees no
/// child that is stopped.
pub fn go_on(root: Root) {
    everything_below(root).into_iter().rev().for_each(|pid| send_signal(pid, Signal::CONT));
}

/// CPU time with which a thread that was stopped has run. The way into the stop takes a few microseconds, and one to
/// another thread takes more than this.
const AWAKE_NS: u64 = 20_000;

/// Whether all of these threads still are where a stop has left them. One that has run was continued by its own system,
/// such as by a timer that sends SIGCONT.
pub fn has_rested(stopped: &[(Thread, u64)], ran_ns: impl Fn(Thread) -> Option<u64>) -> bool {
    stopped.iter().all(|&(thread, ns)| ran_ns(thread).is_some_and(|now| now <= ns + AWAKE_NS))
}

/// All processes below the supervisor, those of a sandbox included: while it starts, they are the system.
fn everything_below(root: Root) -> Vec<u32> {
    tree::below(root.supervisor)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_stop_counts_only_before_the_end() {
        let mut stops = Stops::default();
        stops.add(100, 150, true);
        stops.add(200, 300, true);
        assert_eq!([50, 120, 180, 250, 400].map(|end| stops.before(end)), [0, 20, 50, 100, 150]);
    }

    #[test]
    fn a_system_that_waits_at_most_stops_gets_no_time_for_free() {
        let fault = |idle: usize, all: usize| {
            let mut stops = Stops::default();
            (0..all).for_each(|i| stops.add(0, 1, i >= idle));
            stops.fault().map(|fault| fault.figure)
        };
        assert_eq!(fault(9, 9), None, "too few to tell");
        assert_eq!((fault(5, 10), fault(32, 100)), (None, None), "a fifth, and what chance adds");
        assert_eq!(fault(6, 10).unwrap(), "it was waiting at 6 of 10 moments");
        assert_eq!(fault(60, 100).unwrap(), "it was waiting at 60 of 100 moments");
    }

    #[test]
    fn a_thread_that_runs_within_a_stop_or_ends_there_has_not_rested() {
        // Thread 7 has worked before, and thread 8 has just begun; by the end of the stop, they have run so long.
        let rested = |ran_ns: [Option<u64>; 2]| {
            let stopped = [((7, 7), 3_000_000), ((7, 8), 10_000)];
            has_rested(&stopped, |(_, thread)| ran_ns[thread as usize - 7])
        };
        assert!(rested([Some(3_000_000), Some(10_000)]));
        assert!(rested([Some(3_004_000), Some(10_000)]), "it was on its way into the stop");
        assert!(!rested([Some(3_200_000), Some(10_000)]), "it has started a helper");
        assert!(!rested([Some(3_000_000), Some(8_010_000)]));
        assert!(!rested([Some(3_000_000), None]), "it has worked, and ended");
        assert!(has_rested(&[], |_| None), "all of them wait in the kernel");
    }

    #[test]
    fn a_process_that_runs_on_is_named_when_the_time_to_stop_is_over() {
        // A clock that a look moves on by a second.
        let outcome = |rests_at: u64, has_run: bool| {
            let seconds = Cell::new(0);
            let look = || {
                seconds.set(seconds.get() + 1);
                (seconds.get() < rests_at).then_some(Running { pid: 7, has_run })
            };
            (until_all_rest(look, || Duration::from_secs(seconds.get())), seconds.get())
        };
        for (has_run, limit) in [(true, TIME_TO_STOP.as_secs()), (false, TIME_FOR_A_CORE.as_secs())] {
            assert_eq!(outcome(1, has_run), (Ok(()), 1));
            assert_eq!(
                outcome(limit + 2, has_run),
                (Ok(()), limit + 2),
                "it rests when it is looked at again"
            );
            assert_eq!(outcome(u64::MAX, has_run), (Err(7), limit + 2));
        }
    }

    #[test]
    fn a_stopped_tree_uses_no_time_and_goes_on_afterwards() {
        // A shell with a child, both busy.
        let busy = "(while :; do :; done) & while :; do :; done";
        let mut parent = Command::new("sh")
            .args(["-c", &format!("sh -c '{busy}' & wait")])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let root = Root { supervisor: parent.id(), layers: 0 };
        let until = |what: &dyn Fn() -> bool| {
            while !what() {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        until(&|| root.below().len() == 2);
        assert!(stop(root).unwrap(), "both were at work");
        let pids = root.below();
        let before = tree::running_ns(&pids);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(tree::running_ns(&pids), before);
        let stopped = tree::stopped(&pids);
        assert!(stopped.len() == 2 && has_rested(&stopped, tree::ran_ns));
        go_on(root);
        until(&|| !has_rested(&stopped, tree::ran_ns));
        pids.into_iter().for_each(crate::os::kill);
        parent.wait().unwrap();
    }
}
