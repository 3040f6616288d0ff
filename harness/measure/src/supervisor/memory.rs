//! The memory that looks at a system show, and the choice of its peak.
//!
//! The kernel's account of a process at its end is exact, but a process may lower its own peak (`clear_refs`,
//! proc(5)), and keep bytes where no process's account has them. The greatest of all looks therefore counts beside
//! it. A look above the account at the end shows that a peak was lowered.

use crate::os::odd_memory::{Status, proportional_bytes};
use crate::rules::limits::{HIDDEN_BYTES, LOWERED_PEAK};
use crate::supervisor::messages::{MemoryMethod, Report};

/// The most memory that the looks at a system have shown.
#[derive(Default)]
pub(super) struct SeenMemory {
    /// Largest peak of one process.
    pub process_bytes: u64,
    /// Largest sum over all processes at one look, with what they hold beside their own memory; only for several
    /// processes, or where a peak says too little.
    pub tree_bytes: Option<u64>,
}

impl SeenMemory {
    /// Looks at a system's processes, which hold `beside` bytes outside of their own memory.
    pub fn look(&mut self, processes: &[Status], beside: u64) {
        let peaks = processes.iter().map(Status::peak_bytes);
        self.process_bytes = self.process_bytes.max(peaks.max().unwrap_or(0));
        let beside = if beside < HIDDEN_BYTES { 0 } else { beside };
        let own = match processes {
            // Its peak says it all.
            [process] if beside == 0 && process.held_bytes() <= process.peak_bytes() => None,
            [process] => Some(process.held_bytes()),
            _ => proportional_bytes(&processes.iter().map(|process| process.shown_by).collect::<Vec<_>>()),
        };
        self.tree_bytes = self.tree_bytes.max(own.map(|own| own + beside));
    }

    /// Most memory that a look has shown.
    pub fn most(&self) -> u64 {
        self.process_bytes.max(self.tree_bytes.unwrap_or(0))
    }

    /// Chooses the peak: the greatest of the kernel's account of the largest process, the looks, and the control
    /// group's own account.
    pub fn conclude(self, report: &mut Report) {
        let accounted = report.largest_process_bytes;
        let lowered = self.process_bytes as f64 > accounted as f64 * LOWERED_PEAK
            && self.process_bytes >= accounted + HIDDEN_BYTES;
        // The account lacks a child that no parent waited for.
        report.lowered_peak_bytes = if lowered && !report.ignores_children { self.process_bytes } else { 0 };
        report.tree_pss_bytes = self.tree_bytes;
        report.largest_process_bytes = accounted.max(self.process_bytes);
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

    fn concluded(seen: SeenMemory, accounted: u64, group: Option<u64>) -> Report {
        let mut report =
            Report { largest_process_bytes: accounted, group_peak_bytes: group, ..Report::default() };
        seen.conclude(&mut report);
        report
    }

    fn seen(process_bytes: u64, tree_bytes: Option<u64>) -> SeenMemory {
        SeenMemory { process_bytes, tree_bytes }
    }

    #[test]
    fn the_greatest_of_all_looks_is_the_peak_and_a_lowered_one_is_told() {
        let lowered = concluded(seen(413 * MIB, None), 13 * MIB, None);
        assert_eq!((lowered.peak_bytes, lowered.lowered_peak_bytes), (413 * MIB, 413 * MIB));
        let honest = concluded(seen(100 * MIB, None), 101 * MIB, None);
        assert_eq!((honest.peak_bytes, honest.lowered_peak_bytes), (101 * MIB, 0));
        let rounded = concluded(seen(100 * MIB, None), 99 * MIB, None);
        assert_eq!((rounded.peak_bytes, rounded.lowered_peak_bytes), (100 * MIB, 0), "counters are rounded");
        let mut report = Report { ignores_children: true, largest_process_bytes: MIB, ..Report::default() };
        seen(50 * MIB, None).conclude(&mut report);
        assert_eq!((report.peak_bytes, report.lowered_peak_bytes), (50 * MIB, 0), "no account of a child");
    }

    #[test]
    fn bytes_beside_the_processes_and_those_of_the_group_count_too() {
        let beside = concluded(seen(13 * MIB, Some(213 * MIB)), 14 * MIB, None);
        assert_eq!((beside.peak_bytes, beside.memory_method), (213 * MIB, MemoryMethod::Pss));
        let group = concluded(seen(13 * MIB, None), 14 * MIB, Some(213 * MIB));
        assert_eq!((group.peak_bytes, group.memory_method), (213 * MIB, MemoryMethod::Cgroup));
        let alone = concluded(seen(13 * MIB, None), 14 * MIB, Some(9 * MIB));
        assert_eq!((alone.peak_bytes, alone.memory_method), (14 * MIB, MemoryMethod::Wait4));
        let own = [Status::of(std::process::id())];
        let mut looks = SeenMemory::default();
        looks.look(&own, MIB - 1);
        assert_eq!(looks.tree_bytes, None, "as much as a library's own");
        looks.look(&own, 200 * MIB);
        assert!(looks.tree_bytes.unwrap() > 200 * MIB && looks.most() == looks.tree_bytes.unwrap());
    }
}
