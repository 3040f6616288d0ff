//! Times of single lines: whether suspects take less time per word than other lines.

use dyno_record::Code;
use dyno_record::rules::limits::{CACHED_RATIO, RECOGNISED_RATIO};
use dyno_stats::{median, sign_test, signed_rank_less};

use super::sample::{Judgement, Sample};

/// Share of the other line's time per word, below which a line counts as answered at once. Lines of one
/// language rarely differ so much; if they do, then as often the other way round.
pub const AT_ONCE_RATIO: f64 = 1.0 / 3.0;
/// Probability of a false alarm for a system that treats both sides alike.
pub const SIGNIFICANT: f64 = 1e-3;
/// Probability of a false alarm in a round. A campaign has hundreds of rounds, and none is asked again.
pub const SIGNIFICANT_IN_A_ROUND: f64 = 1e-6;
/// Least time saved for each line; less is jitter of the path.
pub const LEAST_SAVED_NS: f64 = 50_000.0;
/// Pairs that are enough to be sure. The exact distribution of signed ranks takes the cube of their number.
const ENOUGH_PAIRS: usize = 400;

/// Whether the system answers `repeats` from memory. Each list's samples are in the order of the pairs.
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

/// Compares suspects with others, in pairs whose order was drawn. Whatever the host does falls on both sides of
/// the pairs alike, so that a disturbance costs certainty and accuses no system (Fisher 1935). The clock accuses,
/// or CPU time does, to which other programs add nothing.
fn compare(
    code: Code,
    (limit, significant): (f64, f64),
    suspects: &[Sample],
    others: &[Sample],
    subject: &str,
    reference: &str,
) -> Judgement {
    let by_cpu = |samples: &[Sample]| samples.iter().map(|sample| sample.by_cpu()).collect::<Vec<_>>();
    let accused = |suspects: &[Sample], others: &[Sample], time: &str| {
        evidence(suspects, others, (limit, significant), [subject, reference, time])
            .map(|found| code.reason(found))
    };
    let clock = accused(suspects, others, "time");
    let cpu = accused(&by_cpu(suspects), &by_cpu(others), "CPU time");
    let ratio = ratio(suspects, others);
    let stands_out = ratio < limit && saved_ns(suspects, others) >= LEAST_SAVED_NS;
    Judgement {
        figure: format!("{subject} {ratio:.2} of {reference} time per word"),
        certain: cpu.is_some(),
        undecided: stands_out && clock.is_none() && cpu.is_none(),
        reason: clock.or(cpu),
        too_quick: false,
    }
}

fn ratio(suspects: &[Sample], others: &[Sample]) -> f64 {
    median_of_pairs(suspects, others, |suspect, other| suspect.a_word().max(1.0) / other.a_word().max(1.0))
}

/// Figure that shows that suspects take less time: their time per word is below its limit, or some of them are answered
/// at once, and far fewer of the others.
fn evidence(
    suspects: &[Sample],
    others: &[Sample],
    (limit, significant): (f64, f64),
    [subject, reference, time]: [&str; 3],
) -> Option<String> {
    let (p, pairs) = (below_limit(suspects, others, limit), suspects.len());
    if p < significant && saved_ns(suspects, others) >= LEAST_SAVED_NS {
        let ratio = ratio(suspects, others);
        return Some(format!(
            "{subject} {ratio:.2} of {reference} {time} per word (p = {p:.0e}, {pairs} pairs)"
        ));
    }
    let (quick, reverse) = (answered_at_once(suspects, others), answered_at_once(others, suspects));
    let (p, percent) = (sign_test(reverse, quick), 100.0 * AT_ONCE_RATIO);
    let figure = || {
        format!(
            "in {quick} of {pairs} pairs {subject} less than {percent:.0} % of {reference} {time} per word, in {reverse} the other way round (p = {p:.0e})"
        )
    };
    (p < significant).then(figure)
}

/// One-sided p value that suspects take less than `limit` of the others' time per unit, by the signed ranks of
/// the pairs. The test is of the limit itself: a smaller honest difference isn't significant however often it
/// is seen.
fn below_limit(suspects: &[Sample], others: &[Sample], limit: f64) -> f64 {
    let beyond = |(suspect, other): (&Sample, &Sample)| {
        let ratio = suspect.a_word().max(1.0) / other.a_word().max(1.0);
        (ratio / limit).ln()
    };
    signed_rank_less(&suspects.iter().zip(others).take(ENOUGH_PAIRS).map(beyond).collect::<Vec<_>>())
}

/// Number of pairs in which the first is answered at once. A table of a few lines saves too little to show in
/// the whole, but its lines take next to no time while others never do.
fn answered_at_once(first: &[Sample], second: &[Sample]) -> usize {
    let at_once = |(quick, slow): &(&Sample, &Sample)| {
        quick.a_word() < AT_ONCE_RATIO * slow.a_word() && saved_in_pair(quick, slow) >= LEAST_SAVED_NS
    };
    first.iter().zip(second).filter(at_once).count()
}

fn saved_ns(suspects: &[Sample], others: &[Sample]) -> f64 {
    median_of_pairs(suspects, others, saved_in_pair)
}

fn saved_in_pair(suspect: &Sample, other: &Sample) -> f64 {
    (other.a_word() - suspect.a_word()) * suspect.words.max(1) as f64
}

fn median_of_pairs(a: &[Sample], b: &[Sample], of: impl Fn(&Sample, &Sample) -> f64) -> f64 {
    median(&a.iter().zip(b).map(|(a, b)| of(a, b)).collect::<Vec<_>>()).unwrap_or(1.0)
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
            let words = 5 + random.below(20);
            let noise = 0.9 + random.below(2001) as f64 / 10_000.0;
            let slow = if i % 37 == 36 { 20.0 } else { 1.0 };
            let ns = (words as f64 * 100_000.0 * noise * slow * factor) as u64;
            Sample { words, ns, cpu_ns: 0 }
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
        for factor in [0.75, 0.5, 0.01] {
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

    /// Times on a core that others take in bursts: half of the lines take some milliseconds more, in stretches of
    /// twenty pairs four out of five do. CPU time stays as it is.
    fn disturbed(seed: u64, count: usize, factor: f64) -> Vec<Sample> {
        let mut random = Random::new(seed, "bursts");
        let mut all = samples(seed, count, factor);
        for (pair, sample) in all.iter_mut().enumerate() {
            sample.cpu_ns = sample.ns;
            let in_burst = pair / 20 % 2 == 1;
            if random.below(10) < if in_burst { 8 } else { 2 } {
                sample.ns += 1_000_000 * (1 + random.below(12)) as u64;
            }
        }
        all
    }

    #[test]
    fn bursts_of_other_programs_accuse_no_system() {
        let accused = |seed: u64| {
            let (a, b) = (disturbed(2 * seed, 104, 1.0), disturbed(2 * seed + 1, 104, 0.93));
            [cached(&a, &b), recognises(&a, &b, SIGNIFICANT)].iter().filter(|j| j.reason.is_some()).count()
        };
        assert_eq!((0..200).map(accused).sum::<usize>(), 0, "7 % are honest: warm caches of a CPU");
    }

    #[test]
    fn a_cache_of_a_fifth_shows_in_cpu_time_where_bursts_hide_it() {
        for seed in 0..50 {
            let mut repeats = disturbed(2 * seed + 1, 104, 1.0);
            repeats.iter_mut().step_by(5).for_each(|sample| {
                sample.ns -= sample.cpu_ns - sample.cpu_ns / 50;
                sample.cpu_ns /= 50;
            });
            let judgement = cached(&disturbed(2 * seed, 104, 1.0), &repeats);
            assert!(judgement.certain && judgement.reason.is_some(), "{seed}: {judgement:?}");
        }
    }

    #[test]
    fn a_memory_shows_among_bursts_in_cpu_time_as_well() {
        for seed in 0..50 {
            let judgement = cached(&disturbed(2 * seed, 104, 1.0), &disturbed(2 * seed + 1, 104, 0.1));
            assert!(judgement.reason.is_some() && judgement.certain, "{seed}: {judgement:?}");
        }
        let clock_alone = cached(&samples(1, 104, 1.0), &samples(2, 104, 0.1));
        assert!(clock_alone.reason.is_some() && !clock_alone.certain, "CPU time wasn't read");
    }
}
