//! The audit: whether a system keeps to its cores. Affinity is set before its first instruction, but a program
//! can widen its own mask; so the masks of all its threads are looked at while it runs, and afterwards its CPU
//! time is held against the wall clock.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::tree;
use crate::verify::{Code, Reason};

/// Time between two looks: often enough for any round, and some tens of microseconds each.
pub const LOOK: Duration = Duration::from_millis(500);

/// CPU time may exceed wall time on the allowed cores by this much: the two clocks are read at different times.
pub const CPU_SHARE_TOLERANCE: f64 = 0.02;

/// What cores' clocks may differ by on a launch of any length: a tick of the slowest kernels.
const CPU_SLACK_NS: u64 = 10_000_000;

/// What was seen of a process tree while it ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// The first thread that might run elsewhere.
    pub escaped: Option<String>,
    /// How often all threads were looked at.
    pub looks: usize,
    /// The most threads that were there at once.
    pub most_threads: usize,
    /// The most processes that were there at once.
    pub most_processes: usize,
    /// When it was looked at last.
    #[serde(skip)]
    last: Option<Instant>,
}

impl Audit {
    /// Looks at every process below `supervisor`, if the last look was long ago.
    pub fn look_now_and_then(&mut self, supervisor: u32, allowed: &[usize]) {
        if self.last.is_none_or(|last| last.elapsed() >= LOOK) {
            self.look(supervisor, allowed);
        }
    }

    /// Looks at every process below `supervisor`.
    pub fn look(&mut self, supervisor: u32, allowed: &[usize]) {
        let pids = tree::below(supervisor);
        self.looks += 1;
        self.most_processes = self.most_processes.max(pids.len());
        self.most_threads = self.most_threads.max(pids.iter().map(|&pid| tree::threads_of(pid).len()).sum());
        if self.escaped.is_none() {
            self.escaped = pids.iter().find_map(|&pid| tree::escapee(pid, allowed));
        }
        self.last = Some(Instant::now());
    }

    /// Adds what was seen of another process of the same round.
    pub fn merge(&mut self, other: &Self) {
        self.escaped = self.escaped.take().or_else(|| other.escaped.clone());
        self.looks += other.looks;
        self.most_threads = self.most_threads.max(other.most_threads);
        self.most_processes = self.most_processes.max(other.most_processes);
    }
}

/// CPU time against what `cores` cores could give in `wall_ns`.
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
    fn cpu_time_is_held_against_the_allowed_cores() {
        let second = 1_000_000_000;
        assert_eq!(cpu_share(second, second, 1), None);
        assert_eq!(cpu_share(second * 102 / 100, second, 1), None);
        let reason = cpu_share(2 * second, second, 1).unwrap();
        assert_eq!((reason.code, reason.figure.as_str()), (Code::CpuShare, "2.00 cores busy of 1 allowed"));
        assert_eq!(cpu_share(2 * second, second, 2), None);
        assert_eq!(cpu_share(12_000_000, 2_000_000, 1), None, "too short to tell");
    }
}
