//! CPU time of processes that no parent waits for. The kernel adds the time of such processes to no other
//! process, so the accounting at the end lacks it.

use std::collections::HashMap;

use crate::os::odd_memory::Status;
use crate::os::tree;

/// The CPU times that the looks at a tree have shown.
#[derive(Default)]
pub(super) struct SeenTimes {
    /// Largest CPU time of each process.
    of: HashMap<u32, u64>,
    /// Whether a process of the tree ignored the ends of its children.
    pub ignores_children: bool,
}

impl SeenTimes {
    /// Looks at a system's processes.
    pub fn look(&mut self, processes: &[Status]) {
        self.ignores_children = self.ignores_children || processes.iter().any(Status::ignores_children);
        if processes.len() > 1 {
            processes.iter().for_each(|process| self.see(process.pid, tree::running_ns(&[process.pid])));
        }
    }

    fn see(&mut self, pid: u32, ns: u64) {
        let most = self.of.entry(pid).or_default();
        *most = ns.max(*most);
    }

    /// Time that `accounted_ns` lacks: at least what was seen, or all of it if the kernel has the sum of the
    /// `group`.
    pub fn beyond(&self, accounted_ns: u64, group_ns: Option<u64>) -> u64 {
        self.of.values().sum::<u64>().max(group_ns.unwrap_or(0)).saturating_sub(accounted_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_and_never_accounted_belongs_to_children_without_a_waiting_parent() {
        let mut seen = SeenTimes::default();
        for (pid, ns) in [(1, 100), (2, 50), (1, 120), (2, 70)] {
            seen.see(pid, ns);
        }
        assert_eq!(seen.beyond(200, None), 0, "the accounting at the end is complete");
        assert_eq!(seen.beyond(125, None), 65);
        assert_eq!(seen.beyond(125, Some(525)), 400, "the group knows more");
        assert_eq!(seen.beyond(125, Some(125)), 65);
    }
}
