//! CPU time: what cores have worked by the kernel's counters, and what of it a system's tree explains.

use dyno_record::Usage;

use crate::os::text_of;

/// Time of cores so far, or between two looks, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreTime {
    /// Time in which the cores worked.
    pub busy: u64,
    /// Time that the hypervisor took.
    pub steal: u64,
    /// All time, idle time included.
    pub all: u64,
}

impl CoreTime {
    /// Time of `cores` so far. Read here, since sysinfo doesn't tell the hypervisor's share.
    pub fn now(cores: &[usize]) -> Self {
        Self::of(&text_of("/proc/stat"), cores)
    }

    /// Time since an `earlier` look.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            busy: self.busy.saturating_sub(earlier.busy),
            steal: self.steal.saturating_sub(earlier.steal),
            all: self.all.saturating_sub(earlier.all),
        }
    }

    /// Sum of the lines of `cores` in `/proc/stat` (proc(5)): user nice system idle iowait irq softirq steal.
    /// Guests are part of user.
    pub fn of(stat: &str, cores: &[usize]) -> Self {
        let mut sum = Self::default();
        for line in stat.lines() {
            let mut words = line.split_whitespace();
            let core = words.next().and_then(|word| word.strip_prefix("cpu")?.parse::<usize>().ok());
            if core.is_none_or(|core| !cores.contains(&core)) {
                continue;
            }
            let ticks: Vec<u64> = words.map(|word| word.parse().unwrap_or(0)).collect();
            let at = |i: usize| ticks.get(i).copied().unwrap_or(0);
            sum.busy = [0, 1, 2, 5, 6].map(at).into_iter().fold(sum.busy, u64::saturating_add);
            sum.steal = sum.steal.saturating_add(at(7));
            sum.all = (0..8).map(at).fold(sum.all, u64::saturating_add);
        }
        sum
    }
}

/// CPU time of a system's tree during a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeTime {
    /// Time by the kernel's accounting, with the supervisors'.
    pub accounted_ns: u64,
    /// Time of processes that no parent waited for, as far as it was seen.
    pub unwaited_ns: u64,
    /// Whether further such time may be unseen.
    pub ignores_children: bool,
    /// Time from the last answer to the end, in which nothing is measured.
    pub after_ns: u64,
}

impl TreeTime {
    /// Adds the usage of a launch.
    pub fn add(&mut self, launch: &Usage) {
        self.accounted_ns += launch.user_ns + launch.system_ns + launch.supervisor_ns;
        self.unwaited_ns += launch.unwaited_ns;
        self.ignores_children |= launch.ignores_children;
    }

    /// Time of two trees together.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            accounted_ns: self.accounted_ns + other.accounted_ns,
            unwaited_ns: self.unwaited_ns + other.unwaited_ns,
            ignores_children: self.ignores_children || other.ignores_children,
            after_ns: self.after_ns + other.after_ns,
        }
    }

    /// Divides the time of `cores` cores that the accounting doesn't explain. The first part is that of other
    /// processes up to the last answer. The second is that of the system's own processes, which is no noise.
    pub(super) fn split(&self, beyond_ns: f64, cores: usize) -> [f64; 2] {
        let beyond = beyond_ns.max(0.0);
        let unwaited = match self.ignores_children {
            true => beyond,
            false => beyond.min(self.unwaited_ns as f64),
        };
        let after = self.after_ns as f64 * cores as f64;
        [(beyond - unwaited - after).max(0.0), unwaited]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_chosen_cores_count() {
        let stat = "cpu  9 9 9 9 9 9 9 9\ncpu0 100 1 10 500 3 2 4 7 0 0\ncpu1 1 1 1 1 1 1 1 1 0 0\nintr 5\n";
        let ticks = CoreTime::of(stat, &[0]);
        assert_eq!((ticks.busy, ticks.steal), (117, 7));
        let both = CoreTime::of(stat, &[0, 1]);
        assert_eq!((both.busy, both.steal), (122, 8));
    }

    #[test]
    fn neither_own_children_nor_the_time_after_the_last_answer_count_as_others() {
        let quiet = TreeTime { accounted_ns: 500, ..TreeTime::default() };
        assert_eq!(quiet.split(-3.0, 2), [0.0, 0.0]);
        assert_eq!(quiet.split(100.0, 2), [100.0, 0.0]);
        assert_eq!(TreeTime { unwaited_ns: 70, ..quiet }.split(100.0, 2), [30.0, 70.0]);
        assert_eq!(TreeTime { ignores_children: true, ..quiet }.split(100.0, 2), [0.0, 100.0]);
        assert_eq!(TreeTime { after_ns: 40, ..quiet }.split(100.0, 2), [20.0, 0.0]);
        assert_eq!(TreeTime { after_ns: 400, ..quiet }.split(100.0, 2), [0.0, 0.0]);
    }
}
