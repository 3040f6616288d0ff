//! What else keeps the cores busy, from two readings of /proc/stat some time apart.

use super::Finding;

/// Shares of the time between two readings, over the cores that systems may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// Busy with anything, this program included.
    pub busy: f64,
    /// Taken away by the hypervisor for other machines.
    pub steal: f64,
}

/// The same limits as a round has.
const MOST_STEAL: f64 = 0.01;
const MOST_BUSY: f64 = 0.02;

/// The shares between two texts of /proc/stat; `None` if a core is missing or no time has passed.
pub fn busy(before: &str, after: &str, cores: &[usize]) -> Option<Usage> {
    let (mut busy, mut steal, mut all) = (0, 0, 0);
    for &core in cores {
        let (then, now) = (ticks(before, core)?, ticks(after, core)?);
        let spent: Vec<u64> = now.iter().zip(&then).map(|(now, then)| now.saturating_sub(*then)).collect();
        // proc(5): user nice system idle iowait irq softirq steal; guest time is counted in user already.
        let (idle, stolen) = (spent[3] + spent[4], spent[7]);
        let total: u64 = spent[..8].iter().sum();
        (busy, steal, all) = (busy + total - idle - stolen, steal + stolen, all + total);
    }
    (all > 0).then(|| Usage { busy: busy as f64 / all as f64, steal: steal as f64 / all as f64 })
}

fn ticks(stat: &str, core: usize) -> Option<Vec<u64>> {
    let name = format!("cpu{core} ");
    let line = stat.lines().find_map(|line| line.strip_prefix(&name))?;
    let ticks: Vec<u64> = line.split_whitespace().map_while(|number| number.parse().ok()).collect();
    (ticks.len() >= 8).then_some(ticks)
}

impl Usage {
    /// What the shares mean for measuring.
    pub fn findings(self) -> [Finding; 2] {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let steal = match self.steal > MOST_STEAL {
            true => Finding::warning(
                "steal",
                format!("{} of the time goes to other machines on the same host", percent(self.steal)),
                "choose a dedicated instance, or another hour; rounds will be NOISY",
            ),
            false => Finding::good("steal", percent(self.steal)),
        };
        let busy = match self.busy > MOST_BUSY {
            true => Finding::warning(
                "other load",
                format!("the cores are busy {} of the time", percent(self.busy)),
                "end what else runs (top names it), or leave it cores of its own; rounds will be NOISY",
            ),
            false => Finding::good("other load", percent(self.busy)),
        };
        [steal, busy]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Health;

    const BEFORE: &str =
        "cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 100 0 100 1000 0 0 0 0 0 0\ncpu1 5 5 5 5 5 5 5 5 0 0\n";
    const AFTER: &str =
        "cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 105 0 100 1090 0 0 0 5 0 0\ncpu1 5 5 5 5 5 5 5 5 0 0\n";

    #[test]
    fn shares_are_of_the_time_between_and_of_the_chosen_cores() {
        assert_eq!(busy(BEFORE, AFTER, &[0]), Some(Usage { busy: 0.05, steal: 0.05 }));
        assert_eq!(busy(BEFORE, AFTER, &[1]), None);
        assert_eq!(busy(BEFORE, AFTER, &[7]), None);
    }

    #[test]
    fn what_would_make_rounds_noisy_is_said() {
        let health = |usage: Usage| usage.findings().map(|finding| finding.health);
        assert_eq!(health(Usage { busy: 0.05, steal: 0.05 }), [Health::Warning; 2]);
        assert_eq!(health(Usage { busy: 0.01, steal: 0.005 }), [Health::Good; 2]);
    }
}
