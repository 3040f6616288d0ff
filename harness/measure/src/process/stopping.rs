//! Stops and continues all processes of a system, so that the systems of a group take turns within a launch.

use std::time::{Duration, Instant};

use crate::os::tree::{self, Root};
use crate::os::{continue_process, stop_process};

/// Time for processes to stop. One that waits for a disk stops when the disk has answered.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pause between two looks at processes that should stop, which takes microseconds.
const LOOK: Duration = Duration::from_micros(50);

/// Times in which a launch was stopped.
#[derive(Debug, Default)]
pub struct Stops {
    /// Beginning and end of each stop, in monotonic nanoseconds.
    times: Vec<[u64; 2]>,
}

impl Stops {
    /// Adds a stop.
    pub fn add(&mut self, from_ns: u64, to_ns: u64) {
        self.times.push([from_ns, to_ns]);
    }

    /// Nanoseconds of all stops before `end_ns`: a system may end just before it is stopped.
    pub fn before(&self, end_ns: u64) -> u64 {
        self.times.iter().map(|[from, to]| end_ns.min(*to).saturating_sub(*from)).sum()
    }
}

/// Stops every process below `root`. Looks again until all of them rest, because one of them may start another
/// meanwhile. Returns the number of a process that doesn't stop.
pub fn stop(root: Root) -> Result<(), u32> {
    let begin = Instant::now();
    loop {
        let running: Vec<u32> = root.below().into_iter().filter(|&pid| !tree::rests(pid)).collect();
        let Some(&first) = running.first() else { return Ok(()) };
        if begin.elapsed() > PATIENCE {
            return Err(first);
        }
        running.into_iter().for_each(stop_process);
        std::thread::sleep(LOOK);
    }
}

/// Continues every process below `root`, children before parents: a parent that waits for its child sees no
/// child that is stopped.
pub fn go_on(root: Root) {
    root.below().into_iter().rev().for_each(continue_process);
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_stop_counts_only_before_the_end() {
        let mut stops = Stops::default();
        stops.add(100, 150);
        stops.add(200, 300);
        assert_eq!([50, 120, 180, 250, 400].map(|end| stops.before(end)), [0, 20, 50, 100, 150]);
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
            let begin = Instant::now();
            while !what() {
                assert!(begin.elapsed() < Duration::from_secs(20));
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        until(&|| root.below().len() == 2);
        stop(root).unwrap();
        let pids = root.below();
        let before = tree::running_ns(&pids);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(tree::running_ns(&pids), before);
        go_on(root);
        until(&|| tree::running_ns(&pids) > before);
        pids.into_iter().for_each(crate::os::kill);
        parent.wait().unwrap();
    }
}
