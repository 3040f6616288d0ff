//! The memory and the CPU time that looks at a system's processes show, and the choice of its peak of memory.
//!
//! The kernel's account of a process at its end is exact, but a process may lower its own peak (`clear_refs`,
//! proc(5)), and keep bytes where no process's account has them. The greatest of all looks therefore counts beside
//! it. A look above a process's account at its end shows that its peak was lowered. A child that no parent waits for
//! has no such account, and the kernel adds its CPU time to no other process.

use std::collections::HashMap;

use dyno_record::rules::limits::{HIDDEN_BYTES, LOWERED_PEAK};
use dyno_record::{MemoryMethod, Usage};

use crate::os::odd_memory::{Status, held_bytes};
use crate::os::tree;

/// What the looks at a system have shown of each process.
#[derive(Default)]
pub(super) struct SeenProcesses {
    /// Largest peak of each process.
    peaks: HashMap<u32, u64>,
    /// Largest CPU time of each process that isn't alone.
    ran_ns: HashMap<u32, u64>,
}

impl SeenProcesses {
    /// Looks at the CPU time of a system's processes, if there are several.
    pub fn look_at_times(&mut self, processes: &[Status]) {
        for process in processes.iter().filter(|_| processes.len() > 1) {
            keep_greatest(&mut self.ran_ns, process.pid, tree::running_ns(&[process.pid]));
        }
    }

    /// Looks at the memory of a system's processes, which hold `beside` bytes outside of their own.
    pub fn look(&mut self, processes: &[Status], beside: u64, usage: &mut Usage) {
        usage.ignores_children |= processes.iter().any(Status::ignores_children);
        for process in processes {
            keep_greatest(&mut self.peaks, process.pid, process.peak_bytes());
        }
        let beside = if beside < HIDDEN_BYTES { 0 } else { beside };
        let own = match processes {
            // Its peak says it all.
            [process] if beside == 0 && process.held_bytes() <= process.peak_bytes() => None,
            _ => held_bytes(processes),
        };
        usage.tree_pss_bytes = usage.tree_pss_bytes.max(own.map(|own| own + beside));
    }

    /// Compares the account of a process that has ended with the looks at it.
    pub fn ended(&self, pid: u32, accounted: u64, usage: &mut Usage) {
        let seen = self.peaks.get(&pid).copied().unwrap_or(0);
        if seen as f64 > accounted as f64 * LOWERED_PEAK && seen >= accounted + HIDDEN_BYTES {
            usage.lowered_peak_bytes = usage.lowered_peak_bytes.max(seen);
        }
    }

    /// CPU time that `accounted_ns` lacks: at least what was seen, or all of it if the kernel has the sum of the
    /// `group`.
    pub fn beyond(&self, accounted_ns: u64, group_ns: Option<u64>) -> u64 {
        self.ran_ns.values().sum::<u64>().max(group_ns.unwrap_or(0)).saturating_sub(accounted_ns)
    }

    /// Most memory that a look has shown.
    pub fn most_bytes(&self, usage: &Usage) -> u64 {
        self.largest().max(usage.tree_pss_bytes.unwrap_or(0))
    }

    fn largest(&self) -> u64 {
        self.peaks.values().copied().max().unwrap_or(0)
    }

    /// Chooses the peak: the greatest of the kernel's account of the largest process, the looks, and the control
    /// group's own account.
    pub fn conclude(&self, usage: &mut Usage) {
        usage.largest_process_bytes = usage.largest_process_bytes.max(self.largest());
        (usage.peak_bytes, usage.memory_method) = [
            (Some(usage.largest_process_bytes), MemoryMethod::Wait4),
            (usage.tree_pss_bytes, MemoryMethod::Pss),
            (usage.group_peak_bytes, MemoryMethod::Cgroup),
        ]
        .into_iter()
        .filter_map(|(bytes, method)| Some((bytes?, method)))
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .unwrap_or_default();
    }
}

fn keep_greatest(most: &mut HashMap<u32, u64>, pid: u32, now: u64) {
    let most = most.entry(pid).or_default();
    *most = now.max(*most);
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    const PID: u32 = 7;

    fn concluded(seen: u64, tree_bytes: Option<u64>, accounted: u64, group: Option<u64>) -> Usage {
        let looks = SeenProcesses { peaks: HashMap::from([(PID, seen)]), ..SeenProcesses::default() };
        let (largest_process_bytes, tree_pss_bytes, group_peak_bytes) = (accounted, tree_bytes, group);
        let mut usage = Usage { largest_process_bytes, tree_pss_bytes, group_peak_bytes, ..Usage::default() };
        looks.ended(PID, accounted, &mut usage);
        looks.conclude(&mut usage);
        usage
    }

    #[test]
    fn the_greatest_of_all_looks_is_the_peak_and_a_lowered_one_is_told() {
        let lowered = concluded(413 * MIB, None, 13 * MIB, None);
        assert_eq!((lowered.peak_bytes, lowered.lowered_peak_bytes), (413 * MIB, 413 * MIB));
        let honest = concluded(100 * MIB, None, 101 * MIB, None);
        assert_eq!((honest.peak_bytes, honest.lowered_peak_bytes), (101 * MIB, 0));
        let rounded = concluded(100 * MIB, None, 99 * MIB, None);
        assert_eq!((rounded.peak_bytes, rounded.lowered_peak_bytes), (100 * MIB, 0), "counters are rounded");
        let mut usage = Usage::default();
        let looks = SeenProcesses { peaks: HashMap::from([(PID + 1, 50 * MIB)]), ..SeenProcesses::default() };
        looks.ended(PID, MIB, &mut usage);
        looks.conclude(&mut usage);
        assert_eq!((usage.peak_bytes, usage.lowered_peak_bytes), (50 * MIB, 0), "no account of a child");
    }

    #[test]
    fn bytes_beside_the_processes_and_those_of_the_group_count_too() {
        let beside = concluded(13 * MIB, Some(213 * MIB), 14 * MIB, None);
        assert_eq!((beside.peak_bytes, beside.memory_method), (213 * MIB, MemoryMethod::Pss));
        let group = concluded(13 * MIB, None, 14 * MIB, Some(213 * MIB));
        assert_eq!((group.peak_bytes, group.memory_method), (213 * MIB, MemoryMethod::Cgroup));
        let alone = concluded(13 * MIB, None, 14 * MIB, Some(9 * MIB));
        assert_eq!((alone.peak_bytes, alone.memory_method), (14 * MIB, MemoryMethod::Wait4));
        let own = [Status::of(std::process::id())];
        let (mut looks, mut usage) = (SeenProcesses::default(), Usage::default());
        looks.look(&own, MIB - 1, &mut usage);
        assert_eq!(usage.tree_pss_bytes, None, "as much as a library's own");
        looks.look(&own, 200 * MIB, &mut usage);
        assert!(usage.tree_pss_bytes.is_some_and(|bytes| bytes > 200 * MIB));
        assert_eq!(Some(looks.most_bytes(&usage)), usage.tree_pss_bytes);
    }

    #[test]
    fn what_was_seen_and_never_accounted_belongs_to_children_without_a_waiting_parent() {
        let mut seen = SeenProcesses::default();
        for (pid, ns) in [(1, 100), (2, 50), (1, 120), (2, 70)] {
            keep_greatest(&mut seen.ran_ns, pid, ns);
        }
        assert_eq!(seen.beyond(200, None), 0, "the accounting at the end is complete");
        assert_eq!(seen.beyond(125, None), 65);
        assert_eq!(seen.beyond(125, Some(525)), 400, "the group knows more");
        assert_eq!(seen.beyond(125, Some(125)), 65);
    }
}
