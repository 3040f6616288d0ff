//! Rates of repeated rounds: a system whose rounds are repeated far more often than those of the others may
//! choose its attempts.

use std::collections::BTreeMap;

use dyno_stats::fisher_greater;

/// p value below which a rate differs strikingly, before it is divided by the number of systems (Bonferroni).
pub const STRIKING: f64 = 0.001;

/// Sentences on systems of a run whose rounds were repeated strikingly often; `rounds` has system and number of
/// attempts of each measured round.
pub fn often_repeated<'a>(rounds: impl Iterator<Item = (&'a str, usize)>) -> Vec<String> {
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (system, attempts) in rounds {
        let count = counts.entry(system).or_default();
        *count = [count[0] + usize::from(attempts > 1), count[1] + 1];
    }
    let all = counts.values().fold([0, 0], |all, count| [all[0] + count[0], all[1] + count[1]]);
    let limit = STRIKING / counts.len().max(1) as f64;
    let told = |(system, &own): (&&str, &[usize; 2])| {
        let others = [all[0] - own[0], all[1] - own[1]];
        let sentence = || {
            format!(
                "{system}: {} of its {} rounds were disturbed and repeated, {} of {} of the others: see whether it \
                 disturbs its rounds itself, or lasts longer",
                own[0], own[1], others[0], others[1]
            )
        };
        (fisher_greater(own, others) < limit).then(sentence)
    };
    counts.iter().filter_map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(systems: &[(&'static str, usize, usize)]) -> Vec<String> {
        let of = |&(name, repeated, all): &(&'static str, usize, usize)| {
            (0..all).map(move |round| (name, 1 + usize::from(round < repeated)))
        };
        often_repeated(systems.iter().flat_map(of)).iter().map(|told| told[..1].to_owned()).collect()
    }

    #[test]
    fn only_a_system_that_is_repeated_far_more_often_than_the_others_is_named() {
        assert_eq!(rounds(&[("a", 12, 27), ("b", 1, 27), ("c", 2, 27)]), ["a"]);
        assert!(rounds(&[("a", 20, 27), ("b", 18, 27), ("c", 22, 27)]).is_empty(), "the host is busy");
        assert!(rounds(&[("a", 3, 3), ("b", 0, 3)]).is_empty(), "too few rounds to tell");
        assert!(rounds(&[("a", 27, 27)]).is_empty(), "nothing to compare with");
        assert!(rounds(&[]).is_empty());
    }
}
