//! Other load on the cores: other processes, and other machines on the same host.

use dyno_measure::noise::{CoreTime, STEAL_LIMIT};
use dyno_record::rules::limits::FOREIGN_LIMIT;

use super::finding::Finding;

/// Findings about the time between two readings; none if no time has passed. The limits are those of a round.
pub fn load_findings(spent: &CoreTime) -> Vec<Finding> {
    if spent.all == 0 {
        return Vec::new();
    }
    let share = |ticks: u64| ticks as f64 / spent.all as f64;
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let (stolen, busy) = (share(spent.steal), share(spent.busy));
    let steal = match stolen > STEAL_LIMIT {
        true => Finding::warning(
            "steal",
            format!("{} of the time goes to other machines on the same host", percent(stolen)),
            "choose a dedicated instance or another hour, or rounds will be NOISY",
        ),
        false => Finding::good("steal", percent(stolen)),
    };
    let load = match busy > FOREIGN_LIMIT {
        true => Finding::warning(
            "other load",
            format!("the cores are busy {} of the time", percent(busy)),
            "end other programs (see top) or give them cores of their own, or rounds will be NOISY",
        ),
        false => Finding::good("other load", percent(busy)),
    };
    vec![steal, load]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Health;

    #[test]
    fn what_would_make_rounds_noisy_is_said() {
        let health = |busy, steal| {
            let findings = load_findings(&CoreTime { busy, steal, all: 1000 });
            findings.iter().map(|finding| finding.health).collect::<Vec<_>>()
        };
        assert_eq!(health(50, 50), [Health::Warning; 2]);
        assert_eq!(health(10, 5), [Health::Good; 2]);
        assert!(load_findings(&CoreTime { busy: 0, steal: 0, all: 0 }).is_empty());
    }
}
