//! The memory that looks at a system show, and the choice of its peak.
//!
//! The kernel's account of a process at its end is exact, but a process may lower its own peak (`clear_refs`,
//! proc(5)), and keep bytes where no process's account has them. The greatest of all looks therefore counts beside
//! it. A look above a process's account at its end shows that its peak was lowered. A child that no parent waits for has
//! no such account.

use std::collections::HashMap;

use dyno_record::rules::limits::{HIDDEN_BYTES, LOWERED_PEAK};

use crate::os::odd_memory::{Status, held_bytes};
use crate::supervisor::messages::{MemoryMethod, Report};

/// The most memory that the looks at a system have shown.
#[derive(Default)]
pub(super) struct SeenMemory {
    /// Largest peak of each process.
    peaks: HashMap<u32, u64>,
    /// Largest sum over all processes at one look, with what they hold beside their own memory; only for several
    /// processes, or where a peak says too little.
    tree_bytes: Option<u64>,
    /// Largest peak at a look of a process whose account at its end is far below.
    lowered_bytes: u64,
}

impl SeenMemory {
    /// Looks at a system's processes, which hold `beside` bytes outside of their own memory.
    pub fn look(&mut self, processes: &[Status], beside: u64) {
        processes.iter().for_each(|process| self.see(process.pid, process.peak_bytes()));
        let beside = if beside < HIDDEN_BYTES { 0 } else { beside };
        let own = match processes {
            // Its peak says it all.
            [process] if beside == 0 && process.held_bytes() <= process.peak_bytes() => None,
            _ => held_bytes(processes),
        };
        self.tree_bytes = self.tree_bytes.max(own.map(|own| own + beside));
    }

    fn see(&mut self, pid: u32, bytes: u64) {
        let most = self.peaks.entry(pid).or_default();
        *most = bytes.max(*most);
    }

    /// Compares the account of a process that has ended with the looks at it.
    pub fn ended(&mut self, pid: u32, accounted: u64) {
        let seen = self.peaks.get(&pid).copied().unwrap_or(0);
        if seen as f64 > accounted as f64 * LOWERED_PEAK && seen >= accounted + HIDDEN_BYTES {
            self.lowered_bytes = self.lowered_bytes.max(seen);
        }
    }

    /// Most memory that a look has shown.
    pub fn most(&self) -> u64 {
        self.largest().max(self.tree_bytes.unwrap_or(0))
    }

    fn largest(&self) -> u64 {
        self.peaks.values().copied().max().unwrap_or(0)
    }

    /// Chooses the peak: the greatest of the kernel's account of the largest process, the looks, and the control
    /// group's own account.
    pub fn conclude(&self, report: &mut Report) {
        report.lowered_peak_bytes = self.lowered_bytes;
        report.tree_pss_bytes = self.tree_bytes;
        report.largest_process_bytes = report.largest_process_bytes.max(self.largest());
        (report.peak_bytes, report.memory_method) = [
            (Some(report.largest_process_bytes), MemoryMethod::Wait4),
            (report.tree_pss_bytes, MemoryMethod::Pss),
            (report.group_peak_bytes, MemoryMethod::Cgroup),
        ]
        .into_iter()
        .filter_map(|(bytes, method)| Some((bytes?, method)))
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    const PID: u32 = 7;

    fn concluded(seen: u64, tree_bytes: Option<u64>, accounted: u64, group: Option<u64>) -> Report {
        let mut memory = SeenMemory { tree_bytes, ..SeenMemory::default() };
        memory.see(PID, seen);
        memory.ended(PID, accounted);
        let mut report =
            Report { largest_process_bytes: accounted, group_peak_bytes: group, ..Report::default() };
        memory.conclude(&mut report);
        report
    }

    #[test]
    fn the_greatest_of_all_looks_is_the_peak_and_a_lowered_one_is_told() {
        let lowered = concluded(413 * MIB, None, 13 * MIB, None);
        assert_eq!((lowered.peak_bytes, lowered.lowered_peak_bytes), (413 * MIB, 413 * MIB));
        let honest = concluded(100 * MIB, None, 101 * MIB, None);
        assert_eq!((honest.peak_bytes, honest.lowered_peak_bytes), (101 * MIB, 0));
        let rounded = concluded(100 * MIB, None, 99 * MIB, None);
        assert_eq!((rounded.peak_bytes, rounded.lowered_peak_bytes), (100 * MIB, 0), "counters are rounded");
        let (mut memory, mut report) = (SeenMemory::default(), Report::default());
        memory.see(PID + 1, 50 * MIB);
        memory.ended(PID, MIB);
        memory.conclude(&mut report);
        assert_eq!((report.peak_bytes, report.lowered_peak_bytes), (50 * MIB, 0), "no account of a child");
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
        let mut looks = SeenMemory::default();
        looks.look(&own, MIB - 1);
        assert_eq!(looks.tree_bytes, None, "as much as a library's own");
        looks.look(&own, 200 * MIB);
        assert!(looks.tree_bytes.unwrap() > 200 * MIB && looks.most() == looks.tree_bytes.unwrap());
    }
}
