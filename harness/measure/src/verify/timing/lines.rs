//! Times of single lines: whether suspects take less time per word than other lines.

use dyno_stats::{mann_whitney_less, sign_test};

use super::judgement::{Judgement, Sample};
use crate::rules::Code;
use crate::rules::limits::{CACHED_RATIO, RECOGNISED_RATIO};

/// Number of repeats, each beside a fresh line.
pub const CACHE_PAIRS: usize = 100;
/// Least number of lines between a line and its repeat.
pub const CACHE_APART: usize = 50;
/// Share of the other line's time per word, below which a line counts as answered at once. Lines of one
/// language rarely differ so much; if they do, then as often the other way round.
pub const AT_ONCE_RATIO: f64 = 1.0 / 3.0;
/// Probability of a false alarm for a system that treats both sides alike.
pub const SIGNIFICANT: f64 = 1e-3;
/// Probability of a false alarm in a round. A campaign has hundreds of rounds, and none is asked again.
pub const SIGNIFICANT_IN_A_ROUND: f64 = 1e-6;
/// Least time saved for each line; less is jitter of the path.
pub const LEAST_SAVED_NS: f64 = 50_000.0;
/// Percentage of slowest samples that is left out on each side: the host causes those.
const TRIMMED: usize = 5;

/// Whether the system answers `repeats` from memory.
pub fn cached(fresh: &[Sample], repeats: &[Sample]) -> Judgement {
    let limits = (CACHED_RATIO, SIGNIFICANT);
    compare(Code::Cached, limits, repeats, fresh, "a repeated line takes", "a fresh one's")
}

/// Whether the system answers lines of the set from a table, or takes more time over them than over copies.
/// The latter needs a table too: such a system would be quick on the lines that lengthen a throughput launch.
/// `significant` is the probability of a false alarm.
pub fn recognises(set: &[Sample], copies: &[Sample], significant: f64) -> Judgement {
    let limits = (RECOGNISED_RATIO, significant);
    let than = |suspects, others, subject, reference| {
        compare(Code::Recognises, limits, suspects, others, subject, reference)
    };
    let known = than(set, copies, "a line of the set takes", "a changed copy's");
    let spared = than(copies, set, "a changed copy takes", "a line of the set's");
    let stands_out = |judgement: &Judgement| judgement.reason.is_some() || judgement.undecided;
    if stands_out(&spared) && !stands_out(&known) { spared } else { known }
}

/// Compares suspects with others in pairs, each of which met the same host.
fn compare(
    code: Code,
    (limit, significant): (f64, f64),
    suspects: &[Sample],
    others: &[Sample],
    subject: &str,
    reference: &str,
) -> Judgement {
    let (suspect, other) = (trimmed(suspects), trimmed(others));
    let ratio = per_unit(&suspect) / per_unit(&other);
    let saved_ns = (per_unit(&other) - per_unit(&suspect)) * units_a_line(&other);
    let units = |samples: &[Sample]| samples.iter().map(Sample::per_unit).collect::<Vec<_>>();
    let p = mann_whitney_less(&units(suspects), &units(others));
    let figure = format!("{subject} {ratio:.2} of {reference} time per word");
    let stands_out = ratio < limit && saved_ns >= LEAST_SAVED_NS;
    let reason = (stands_out && p < significant)
        .then(|| format!("{figure} (p = {p:.0e}, {:.0} µs a line)", saved_ns / 1e3))
        .or_else(|| {
            answered_at_once(suspects, others, significant, &format!("{subject} less than"), reference)
        })
        .map(|figure| code.reason(figure));
    Judgement { undecided: stands_out && reason.is_none(), figure, reason, too_quick: false }
}

/// Figure of a sign test over pairs in which one line is answered at once. A table of a few lines saves too
/// little to show in the whole, but its lines take next to no time while others never do.
fn answered_at_once(
    suspects: &[Sample],
    others: &[Sample],
    significant: f64,
    subject: &str,
    reference: &str,
) -> Option<String> {
    let at_once = |quick: &Sample, slow: &Sample| {
        let saved_ns = (slow.per_unit() - quick.per_unit()) * quick.units.max(1) as f64;
        quick.per_unit() < AT_ONCE_RATIO * slow.per_unit() && saved_ns >= LEAST_SAVED_NS
    };
    let quick = suspects.iter().zip(others).filter(|(a, b)| at_once(a, b)).count();
    let reverse = suspects.iter().zip(others).filter(|(a, b)| at_once(b, a)).count();
    let p = sign_test(reverse, quick);
    let (pairs, share) = (suspects.len(), 100.0 * AT_ONCE_RATIO);
    let figure = format!(
        "in {quick} of {pairs} pairs {subject} {share:.0} % of {reference} time per word, in {reverse} the other way round (p = {p:.0e})"
    );
    (p < significant).then_some(figure)
}

/// Samples without the slowest by unit.
fn trimmed(samples: &[Sample]) -> Vec<Sample> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(|a, b| a.per_unit().total_cmp(&b.per_unit()));
    sorted.truncate(samples.len() - samples.len() * TRIMMED / 100);
    sorted
}

/// Mean units of a line.
fn units_a_line(samples: &[Sample]) -> f64 {
    samples.iter().map(|sample| sample.units).sum::<usize>() as f64 / samples.len().max(1) as f64
}

/// Nanoseconds of a unit, over all samples.
fn per_unit(samples: &[Sample]) -> f64 {
    let (ns, units) = samples.iter().fold((0, 0), |(ns, units), s| (ns + s.ns, units + s.units.max(1)));
    ns as f64 / units.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_stats::Random;

    /// Lines of 5 to 24 words at about 100 µs a word, ±10 %, with a slow line now and then; all times
    /// `factor`.
    fn samples(seed: u64, count: usize, factor: f64) -> Vec<Sample> {
        let mut random = Random::new(seed, "samples");
        let mut one = |i: usize| {
            let units = 5 + random.below(20);
            let noise = 0.9 + random.below(2001) as f64 / 10_000.0;
            let slow = if i % 37 == 36 { 20.0 } else { 1.0 };
            Sample { units, ns: (units as f64 * 100_000.0 * noise * slow * factor) as u64 }
        };
        (0..count).map(&mut one).collect()
    }

    #[test]
    fn repeats_that_take_as_long_are_no_cache() {
        for seed in 0..20 {
            let judgement = cached(&samples(2 * seed, 100, 1.0), &samples(2 * seed + 1, 100, 1.0));
            assert_eq!((judgement.reason, judgement.undecided), (None, false), "seed {seed}");
        }
        assert!(
            cached(&samples(1, 100, 1.0), &samples(2, 100, 0.9)).reason.is_none(),
            "warm caches of a CPU"
        );
    }

    #[test]
    fn repeats_that_take_less_are_a_cache() {
        for factor in [0.8, 0.5, 0.01] {
            let judgement = cached(&samples(1, 100, 1.0), &samples(2, 100, factor));
            assert_eq!(judgement.reason.expect("caught").code, Code::Cached, "{factor}");
        }
    }

    #[test]
    fn a_cache_of_every_third_line_is_detected() {
        let mut repeats = samples(2, 100, 1.0);
        repeats.iter_mut().step_by(3).for_each(|sample| sample.ns /= 50);
        assert_eq!(cached(&samples(1, 100, 1.0), &repeats).reason.expect("caught").code, Code::Cached);
    }

    #[test]
    fn a_cache_of_every_tenth_line_is_detected_by_pairs() {
        let (set, mut known) = (samples(1, 120, 1.0), samples(2, 120, 1.0));
        known.iter_mut().step_by(10).for_each(|sample| sample.ns /= 50);
        let judgement = recognises(&known, &set, SIGNIFICANT);
        let figure = judgement.reason.expect("caught").figure;
        assert!(
            figure.starts_with("in 12 of 120 pairs a line of the set takes less than 33 % of"),
            "{figure}"
        );
        assert!(recognises(&set, &known, SIGNIFICANT).reason.is_some(), "either way");
    }

    #[test]
    fn slow_lines_on_both_sides_are_the_hosts() {
        let slow = |seed, offset| {
            let mut samples = samples(seed, 120, 1.0);
            samples.iter_mut().skip(offset).step_by(10).for_each(|sample| sample.ns *= 20);
            samples
        };
        assert_eq!(recognises(&slow(1, 0), &slow(2, 5), SIGNIFICANT).reason, None);
    }

    #[test]
    fn a_few_microseconds_are_jitter_of_the_path() {
        let scaled = |factor: f64| samples(1, 100, factor / 100.0);
        assert!(cached(&scaled(1.0), &scaled(0.5)).reason.is_none());
    }

    #[test]
    fn a_few_samples_leave_the_judgement_undecided() {
        let judgement = cached(&samples(1, 3, 1.0), &samples(2, 3, 0.5));
        assert!(judgement.reason.is_none() && judgement.undecided, "{judgement:?}");
    }

    #[test]
    fn known_sentences_are_recognised_beyond_a_tenth() {
        assert!(recognises(&samples(1, 200, 0.95), &samples(2, 200, 1.0), SIGNIFICANT).reason.is_none());
        let judgement = recognises(&samples(1, 200, 0.8), &samples(2, 200, 1.0), SIGNIFICANT);
        assert_eq!(judgement.reason.expect("caught").code, Code::Recognises);
    }

    #[test]
    fn more_time_on_known_sentences_is_recognition_too() {
        let judgement = recognises(&samples(1, 200, 1.0), &samples(2, 200, 0.8), SIGNIFICANT);
        assert!(judgement.reason.expect("caught").figure.starts_with("a changed copy takes 0.8"));
    }
}
