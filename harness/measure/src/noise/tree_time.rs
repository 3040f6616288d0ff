//! CPU time of a system's tree, and what of a core's time it explains.

use dyno_record::Usage;

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
