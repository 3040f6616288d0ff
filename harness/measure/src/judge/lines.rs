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

/// A suspect, and the other line that it is compared with.
pub type Pair = [Sample; 2];

/// Whether the system answers repeats from memory. Each pair is a repeat and a fresh line.
pub fn cached(pairs: &[Pair]) -> Judgement {
    compare(Code::Cached, (CACHED_RATIO, SIGNIFICANT), pairs, ["a repeated line takes", "a fresh one's"])
}

/// Whether the system answers lines of the set from a table, or takes more time over them than over copies.
/// The latter needs a table too: such a system would be quick on the lines that lengthen a throughput launch.
/// Each pair is a line and its copy; `significant` is the probability of a false alarm.
pub fn recognises(pairs: &[Pair], significant: f64) -> Judgement {
    let pairs = &of_like_lengths(pairs);
    let than =
        |pairs: &[Pair], sides| compare(Code::Recognises, (RECOGNISED_RATIO, significant), pairs, sides);
    let known = than(pairs, ["a line of the set takes", "a changed copy's"]);
    let spared = than(&reversed(pairs), ["a changed copy takes", "a line of the set's"]);
    let stands_out = |judgement: &Judgement| judgement.reason.is_some() || judgement.undecided;
    if stands_out(&spared) && !stands_out(&known) { spared } else { known }
}

/// The pairs without padding, by the median of how many times as long the copies' answers are. One at a time, an
/// answer's length depends on no other line of a batch.
fn of_like_lengths(pairs: &[Pair]) -> Vec<Pair> {
    let longer = median_of(pairs, |[line, copy]| copy.words.max(1) as f64 / line.words.max(1) as f64);
    pairs.iter().map(|&pair| Sample::of_like_lengths(pair, longer)).collect()
}

fn reversed(pairs: &[Pair]) -> Vec<Pair> {
    pairs.iter().map(|&[suspect, other]| [other, suspect]).collect()
}

/// Compares suspects with others, in pairs whose order was drawn. Whatever the host does falls on both sides of
/// the pairs alike, so that a disturbance costs certainty and accuses no system (Fisher 1935). The clock accuses,
/// or CPU time does, to which other programs add nothing.
fn compare(
    code: Code,
    (limit, significant): (f64, f64),
    pairs: &[Pair],
    [subject, reference]: [&str; 2],
) -> Judgement {
    let accused = |pairs: &[Pair], time: &str| {
        evidence(pairs, (limit, significant), [subject, reference, time]).map(|found| code.reason(found))
    };
    let by_cpu: Vec<Pair> = pairs.iter().map(|pair| pair.map(Sample::by_cpu)).collect();
    let (clock, cpu) = (accused(pairs, "time"), accused(&by_cpu, "CPU time"));
    let ratio = median_of(pairs, ratio);
    let stands_out = ratio < limit && median_of(pairs, saved_ns) >= LEAST_SAVED_NS;
    Judgement {
        figure: format!("{subject} {ratio:.2} of {reference} time per word"),
        certain: cpu.is_some(),
        undecided: stands_out && clock.is_none() && cpu.is_none(),
        reason: clock.or(cpu),
        too_quick: false,
    }
}

/// Figure that shows that suspects take less time: their time per word is below its limit, or some of them are answered
/// at once, and far fewer of the others.
fn evidence(
    pairs: &[Pair],
    (limit, significant): (f64, f64),
    [subject, reference, time]: [&str; 3],
) -> Option<String> {
    let (p, count) = (below_limit(pairs, limit), pairs.len());
    if p < significant && median_of(pairs, saved_ns) >= LEAST_SAVED_NS {
        let ratio = median_of(pairs, ratio);
        return Some(format!(
            "{subject} {ratio:.2} of {reference} {time} per word (p = {p:.0e}, {count} pairs)"
        ));
    }
    let at_once = |pairs: &[Pair]| pairs.iter().filter(|pair| is_at_once(pair)).count();
    let (quick, reverse) = (at_once(pairs), at_once(&reversed(pairs)));
    let (p, percent) = (sign_test(reverse, quick), 100.0 * AT_ONCE_RATIO);
    let figure = || {
        format!(
            "in {quick} of {count} pairs {subject} less than {percent:.0} % of {reference} {time} per word, in {reverse} the other way round (p = {p:.0e})"
        )
    };
    (p < significant).then(figure)
}

/// One-sided p value that suspects take less than `limit` of the others' time per unit, by the signed ranks of
/// the pairs. The test is of the limit itself: a smaller honest difference isn't significant however often it
/// is seen.
fn below_limit(pairs: &[Pair], limit: f64) -> f64 {
    let beyond = |pair| (ratio(pair) / limit).ln();
    signed_rank_less(&pairs.iter().take(ENOUGH_PAIRS).map(beyond).collect::<Vec<_>>())
}

/// Whether the suspect is answered at once, by the word and as a whole: a system may say much to one line and little to
/// another for the same work. A table of a few lines saves too little to show in the whole, but its lines take next to
/// no time while others never do.
fn is_at_once(pair @ [suspect, other]: &Pair) -> bool {
    let is_quick = |of: fn(Sample) -> f64| of(*suspect) < AT_ONCE_RATIO * of(*other);
    is_quick(Sample::a_word) && is_quick(|sample| sample.ns as f64) && saved_ns(pair) >= LEAST_SAVED_NS
}

fn ratio([suspect, other]: &Pair) -> f64 {
    suspect.a_word().max(1.0) / other.a_word().max(1.0)
}

fn saved_ns([suspect, other]: &Pair) -> f64 {
    (other.a_word() - suspect.a_word()) * suspect.words.max(1) as f64
}

fn median_of(pairs: &[Pair], of: impl Fn(&Pair) -> f64) -> f64 {
    median(&pairs.iter().map(of).collect::<Vec<_>>()).unwrap_or(1.0)
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

    /// Pairs of these suspects and others.
    fn paired(suspects: &[Sample], others: &[Sample]) -> Vec<Pair> {
        suspects.iter().zip(others).map(|(&suspect, &other)| [suspect, other]).collect()
    }

    #[test]
    fn repeats_that_take_as_long_are_no_cache() {
        for seed in 0..20 {
            let judgement = cached(&paired(&samples(2 * seed + 1, 100, 1.0), &samples(2 * seed, 100, 1.0)));
            assert_eq!((judgement.reason, judgement.undecided), (None, false), "seed {seed}");
        }
        assert!(
            cached(&paired(&samples(2, 100, 0.9), &samples(1, 100, 1.0))).reason.is_none(),
            "warm caches of a CPU"
        );
    }

    #[test]
    fn repeats_that_take_less_are_a_cache() {
        for factor in [0.75, 0.5, 0.01] {
            let judgement = cached(&paired(&samples(2, 100, factor), &samples(1, 100, 1.0)));
            assert_eq!(judgement.reason.expect("caught").code, Code::Cached, "{factor}");
        }
    }

    #[test]
    fn a_cache_of_every_third_line_is_detected() {
        let mut repeats = samples(2, 100, 1.0);
        repeats.iter_mut().step_by(3).for_each(|sample| sample.ns /= 50);
        let judgement = cached(&paired(&repeats, &samples(1, 100, 1.0)));
        assert_eq!(judgement.reason.expect("caught").code, Code::Cached);
    }

    #[test]
    fn a_cache_of_every_tenth_line_is_detected_by_pairs() {
        let (set, mut known) = (samples(1, 120, 1.0), samples(2, 120, 1.0));
        known.iter_mut().step_by(10).for_each(|sample| sample.ns /= 50);
        let judgement = recognises(&paired(&known, &set), SIGNIFICANT);
        let figure = judgement.reason.expect("caught").figure;
        assert!(
            figure.starts_with("in 12 of 120 pairs a line of the set takes less than 33 % of"),
            "{figure}"
        );
        assert!(recognises(&paired(&set, &known), SIGNIFICANT).reason.is_some(), "either way");
    }

    #[test]
    fn a_few_microseconds_are_jitter_of_the_path() {
        let scaled = |factor: f64| samples(1, 100, factor / 100.0);
        assert!(cached(&paired(&scaled(0.5), &scaled(1.0))).reason.is_none());
    }

    #[test]
    fn a_few_samples_leave_the_judgement_undecided() {
        let judgement = cached(&paired(&samples(2, 3, 0.5), &samples(1, 3, 1.0)));
        assert!(judgement.reason.is_none() && judgement.undecided, "{judgement:?}");
    }

    #[test]
    fn known_sentences_are_recognised_beyond_a_tenth() {
        let judged =
            |factor| recognises(&paired(&samples(1, 200, factor), &samples(2, 200, 1.0)), SIGNIFICANT);
        assert!(judged(0.95).reason.is_none());
        let judgement = judged(0.8);
        assert_eq!(judgement.reason.expect("caught").code, Code::Recognises);
    }

    #[test]
    fn more_time_on_known_sentences_is_recognition_too() {
        let judgement = recognises(&paired(&samples(1, 200, 1.0), &samples(2, 200, 0.8)), SIGNIFICANT);
        assert!(judgement.reason.expect("caught").figure.starts_with("a changed copy takes 0.8"));
    }

    /// Pairs of a system that takes `cost` of 100 µs for a true word of a known line, and for one of a copy the whole;
    /// to copy number i it says `times(i)` as much, each word at the price of `padding`.
    fn talking(count: usize, [cost, padding]: [f64; 2], times: impl Fn(usize) -> f64) -> Vec<Pair> {
        let (lines, copies) = (samples(1, count, cost), samples(2, count, 1.0));
        let said = |(i, (line, copy)): (usize, (Sample, Sample))| {
            let ns =
                copy.ns as f64 * line.words as f64 / copy.words as f64 * (1.0 + (times(i) - 1.0) * padding);
            let words = (line.words as f64 * times(i)).round() as usize;
            [line, Sample { words, ns: ns as u64, cpu_ns: 0 }]
        };
        lines.into_iter().zip(copies).enumerate().map(said).collect()
    }

    #[test]
    fn padded_answers_to_copies_hide_no_table() {
        let caught = |pairs: &[Pair]| recognises(pairs, SIGNIFICANT).reason.is_some();
        assert!(caught(&talking(60, [0.1, 0.0], |_| 10.0)));
        assert!(caught(&talking(60, [0.5, 0.0], |_| 2.0)));
        let reversed: Vec<Pair> = reversed(&talking(60, [0.1, 0.0], |_| 10.0));
        assert!(caught(&reversed), "nor care that the set alone gets");
    }

    #[test]
    fn longer_answers_that_take_longer_accuse_no_system() {
        let runaways = |every: usize| move |i: usize| if i.is_multiple_of(every) { 20.0 } else { 1.0 };
        for (count, every) in [(12, 6), (120, 6), (120, 3)] {
            let pairs = talking(count, [1.0, 1.0], runaways(every));
            assert_eq!(recognises(&pairs, SIGNIFICANT).reason, None, "one of {every} runs away");
        }
        assert_eq!(recognises(&talking(120, [1.0, 1.0], |_| 1.3), SIGNIFICANT).reason, None);
    }

    #[test]
    fn many_words_for_the_same_work_are_no_answer_at_once() {
        let said = |i: usize| if i.is_multiple_of(4) { 9.0 } else { 1.0 };
        assert_eq!(recognises(&talking(120, [1.0, 0.0], said), SIGNIFICANT).reason, None);
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
            let judgements = [cached(&paired(&b, &a)), recognises(&paired(&a, &b), SIGNIFICANT)];
            judgements.iter().filter(|judgement| judgement.reason.is_some()).count()
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
            let judgement = cached(&paired(&repeats, &disturbed(2 * seed, 104, 1.0)));
            assert!(judgement.certain && judgement.reason.is_some(), "{seed}: {judgement:?}");
        }
    }

    #[test]
    fn a_memory_shows_among_bursts_in_cpu_time_as_well() {
        for seed in 0..50 {
            let (fresh, repeats) = (disturbed(2 * seed, 104, 1.0), disturbed(2 * seed + 1, 104, 0.1));
            let judgement = cached(&paired(&repeats, &fresh));
            assert!(judgement.reason.is_some() && judgement.certain, "{seed}: {judgement:?}");
        }
        let clock_alone = cached(&paired(&samples(2, 104, 0.1), &samples(1, 104, 1.0)));
        assert!(clock_alone.reason.is_some() && !clock_alone.certain, "CPU time wasn't read");
    }
}
