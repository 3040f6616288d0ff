//! Time that cores have worked, from the kernel's counters.

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
}
