//! What a system used, by the kernel's accounting and by the looks at its processes, and how it ended.

use serde::{Deserialize, Serialize};

use crate::{Code, Reason};

/// Usage of a launch, or of all launches of a round: times add up, peaks are maxima.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Monotonic time of the end.
    pub ended_ns: u64,
    /// Exit code, if the system exited by itself.
    pub code: Option<i32>,
    /// Signal, if one ended the system.
    pub signal: Option<i32>,
    /// Whether the bench asked for the end.
    pub killed: bool,
    /// CPU time in user mode, of all processes.
    pub user_ns: u64,
    /// CPU time in the kernel, of all processes.
    pub system_ns: u64,
    /// CPU time of processes that no parent waited for, as far as it was seen. `user_ns` and `system_ns` lack
    /// it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unwaited_ns: u64,
    /// Whether a process ignored the ends of its children, so that further such time may be unseen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignores_children: bool,
    /// Peak memory, by `memory_method`.
    pub peak_bytes: u64,
    /// Peak resident memory of the largest process, by the kernel's accounting and by the looks.
    #[serde(default)]
    pub largest_process_bytes: u64,
    /// Largest sum over all processes at one look, with shared pages counted in parts, and with what they hold
    /// beside their own memory; only for several processes, or where there is something beside.
    #[serde(default)]
    pub tree_pss_bytes: Option<u64>,
    /// Peak of all processes together, by the kernel, less the files in its cache; only with a control group of
    /// the system's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_peak_bytes: Option<u64>,
    /// Method behind `peak_bytes`.
    #[serde(default)]
    pub memory_method: MemoryMethod,
    /// Cap of the memory, if the system held more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exceeded_cap_bytes: Option<u64>,
    /// Attempts to reach a network from which the system is cut off.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub network_attempts: u64,
    /// Peak memory of the supervisor: the least that `peak_bytes` can be.
    pub floor_bytes: u64,
    /// Most shared memory that the system held without mapping it; `peak_bytes` lacks it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hidden_memory_bytes: u64,
    /// Peak of one process at a look, if the kernel's account of it at its end is far below: the process has lowered
    /// its peak.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lowered_peak_bytes: u64,
    /// Whether a process forbade looks at its files, so that hidden memory and files may be unseen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forbids_looks: bool,
    /// Context switches that the system asked for by waiting.
    pub voluntary_switches: u64,
    /// Context switches that the kernel forced on the system.
    pub involuntary_switches: u64,
    /// Cores outside of the allowed ones on which a thread might run: seen while the system ran, or of the
    /// first process at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escaped: Option<String>,
    /// Number of processes that were still alive after the system's end.
    pub left_processes: usize,
    /// Bytes on standard error.
    pub stderr_bytes: u64,
    /// Last part of standard error.
    pub stderr_tail: String,
    /// Whether the system was ended because it wrote too much to standard error.
    #[serde(default)]
    pub flooded: bool,
    /// CPU time of the supervisor itself.
    #[serde(default)]
    pub supervisor_ns: u64,
}

impl Usage {
    /// Adds the usage of another launch, which comes later: it says how the round ended.
    pub fn add(&mut self, launch: &Self) {
        let usage = std::mem::take(self);
        *self = Self {
            user_ns: usage.user_ns + launch.user_ns,
            system_ns: usage.system_ns + launch.system_ns,
            unwaited_ns: usage.unwaited_ns + launch.unwaited_ns,
            ignores_children: usage.ignores_children || launch.ignores_children,
            peak_bytes: usage.peak_bytes.max(launch.peak_bytes),
            largest_process_bytes: usage.largest_process_bytes.max(launch.largest_process_bytes),
            group_peak_bytes: usage.group_peak_bytes.max(launch.group_peak_bytes),
            tree_pss_bytes: usage.tree_pss_bytes.max(launch.tree_pss_bytes),
            voluntary_switches: usage.voluntary_switches + launch.voluntary_switches,
            involuntary_switches: usage.involuntary_switches + launch.involuntary_switches,
            left_processes: usage.left_processes + launch.left_processes,
            stderr_bytes: usage.stderr_bytes + launch.stderr_bytes,
            supervisor_ns: usage.supervisor_ns + launch.supervisor_ns,
            forbids_looks: usage.forbids_looks || launch.forbids_looks,
            hidden_memory_bytes: usage.hidden_memory_bytes.max(launch.hidden_memory_bytes),
            lowered_peak_bytes: usage.lowered_peak_bytes.max(launch.lowered_peak_bytes),
            network_attempts: usage.network_attempts + launch.network_attempts,
            exceeded_cap_bytes: usage.exceeded_cap_bytes.or(launch.exceeded_cap_bytes),
            ..launch.clone()
        };
    }

    /// Warning that the system tried to reach another host. It gains nothing by it, since it is cut off.
    pub fn network_use(&self) -> Option<Reason> {
        let attempts = self.network_attempts;
        let reason = || Code::UsesNetwork.reason(format!("attempts to reach another host: {attempts}"));
        (attempts > 0).then(reason)
    }

    /// CPU time of all processes in nanoseconds, as far as it was seen.
    pub fn cpu_ns(&self) -> f64 {
        [self.user_ns, self.system_ns, self.unwaited_ns].iter().map(|&ns| ns as f64).sum()
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Method that found the peak of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryMethod {
    /// The kernel's accounting at the end of the largest process: exact.
    #[default]
    Wait4,
    /// Looks: the proportional set size, summed over all processes, and what they hold beside.
    Pss,
    /// The kernel's account of the system's control group: all processes, and what they hold in the kernel.
    Cgroup,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_launches_add_up_peaks_are_maxima_and_the_last_one_says_the_end() {
        let launch = |user_ns, peak_bytes, code| Usage { user_ns, peak_bytes, code, ..Usage::default() };
        let mut round = Usage::default();
        round.add(&Usage { forbids_looks: true, tree_pss_bytes: Some(7), ..launch(5, 300, Some(1)) });
        round.add(&launch(6, 200, Some(0)));
        assert_eq!((round.user_ns, round.peak_bytes, round.code), (11, 300, Some(0)));
        assert_eq!((round.forbids_looks, round.tree_pss_bytes), (true, Some(7)), "once is enough");
    }
}
