//! What is judged by time, as pure functions of samples. The limits are the protocol's; each leaves room for what
//! honest systems do (a batch shortlist gets smaller with repeated lines, by about 20 % on Marian).

use dyno_stats::{mann_whitney_less, median, sign_test};

use crate::rules::limits::{CACHED_RATIO, COALESCED_RATIO, RECOGNISED_RATIO};
use crate::rules::{Code, Reason};

/// So many repeats, each beside a fresh line.
pub const CACHE_PAIRS: usize = 100;
/// A repeat comes at least so many lines after its first time.
pub const CACHE_APART: usize = 50;
/// Less than this share of the other's time per word: answered at once. One language's lines don't differ so much, and if
/// they do, then as often the other way round.
pub const AT_ONCE_RATIO: f64 = 1.0 / 3.0;
/// Chance of seeing this in a system that treats both alike.
pub const SIGNIFICANT: f64 = 1e-3;
/// The same of a round, of which a campaign has hundreds, and none is asked again.
pub const SIGNIFICANT_IN_A_ROUND: f64 = 1e-6;
/// Less than this a line is the path's own jitter.
pub const LEAST_SAVED_NS: f64 = 50_000.0;
/// The quickest launch over a file must take so much longer than the slowest with one line: else what is left is the
/// jitter of launches.
const LEAST_SET_NS: f64 = 10e6;
/// Of each side the slowest are left out, so many in a hundred: they are the host's.
const TRIMMED: usize = 5;

/// One answer: units of work (words), and how long it took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Words.
    pub units: usize,
    /// Nanoseconds.
    pub ns: u64,
}

impl Sample {
    fn per_unit(&self) -> f64 {
        self.ns as f64 / self.units.max(1) as f64
    }
}

/// What a comparison of two sides came to.
#[derive(Debug)]
pub struct Judged {
    /// The suspects' time per word as a share of the others'.
    pub figure: String,
    /// What they are guilty of.
    pub reason: Option<Reason>,
    /// Whether the ratio is beyond its limit without being significant, or drowned by the host.
    pub undecided: bool,
    /// Whether there was too little time to compare.
    pub too_quick: bool,
}

/// Whether `repeats` are answered from memory.
pub fn cached(fresh: &[Sample], repeats: &[Sample]) -> Judged {
    let limits = (CACHED_RATIO, SIGNIFICANT);
    faster(Code::Cached, limits, repeats, fresh, "a repeated line takes", "a fresh one's")
}

/// Whether lines of the set are answered from a table; or alone are taken pains with, which needs a table as well:
/// then what lengthens a throughput launch would be quick. `significant` is the chance of a false alarm.
pub fn recognises(set: &[Sample], copies: &[Sample], significant: f64) -> Judged {
    let limits = (RECOGNISED_RATIO, significant);
    let than = |suspects, others, who, whom| faster(Code::Recognises, limits, suspects, others, who, whom);
    let known = than(set, copies, "a line of the set takes", "a changed copy's");
    let spared = than(copies, set, "a changed copy takes", "a line of the set's");
    let stands_out = |judged: &Judged| judged.reason.is_some() || judged.undecided;
    if stands_out(&spared) && !stands_out(&known) { spared } else { known }
}

/// Suspects and others in pairs, each of which met the same host.
fn faster(
    code: Code,
    (limit, significant): (f64, f64),
    suspects: &[Sample],
    others: &[Sample],
    who: &str,
    whom: &str,
) -> Judged {
    let (suspect, other) = (trimmed(suspects), trimmed(others));
    let ratio = per_unit(&suspect) / per_unit(&other);
    let saved_ns = (per_unit(&other) - per_unit(&suspect)) * units_a_line(&other);
    let units = |samples: &[Sample]| samples.iter().map(Sample::per_unit).collect::<Vec<_>>();
    let p = mann_whitney_less(&units(suspects), &units(others));
    let figure = format!("{who} {ratio:.2} of {whom} time per word");
    let stands_out = ratio < limit && saved_ns >= LEAST_SAVED_NS;
    let reason = (stands_out && p < significant)
        .then(|| format!("{figure} (p = {p:.0e}, {:.0} µs a line)", saved_ns / 1e3))
        .or_else(|| some_at_once(suspects, others, significant, &format!("{who} less than"), whom))
        .map(|figure| code.reason(figure));
    Judged { undecided: stands_out && reason.is_none(), figure, reason, too_quick: false }
}

/// A table of some lines spares too little to show in the whole; but those lines take next to nothing, while no other
/// line does.
fn some_at_once(
    suspects: &[Sample],
    others: &[Sample],
    significant: f64,
    who: &str,
    whom: &str,
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
        "in {quick} of {pairs} pairs {who} {share:.0} % of {whom} time per word, in {reverse} the other way round (p = {p:.0e})"
    );
    (p < significant).then_some(figure)
}

/// Without the slowest by unit.
fn trimmed(samples: &[Sample]) -> Vec<Sample> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(|a, b| a.per_unit().total_cmp(&b.per_unit()));
    sorted.truncate(samples.len() - samples.len() * TRIMMED / 100);
    sorted
}

fn units_a_line(samples: &[Sample]) -> f64 {
    samples.iter().map(|sample| sample.units).sum::<usize>() as f64 / samples.len().max(1) as f64
}

fn per_unit(samples: &[Sample]) -> f64 {
    let (ns, units) = samples.iter().fold((0, 0), |(ns, units), s| (ns + s.ns, units + s.units.max(1)));
    ns as f64 / units.max(1) as f64
}

/// Whether five times a set takes far less than `times` as long as something of which it is so many times as much
/// work. Each is a list of whole launches' nanoseconds: with one line (what loading takes), with that, with the five.
pub fn coalesced(one_line: &[f64], once: &[f64], times: f64, five_times: &[f64]) -> Judged {
    if let Some(too_quick) = too_quick(one_line, once) {
        return too_quick;
    }
    let load = middle(one_line);
    let (once, five) = (middle(once) - load, middle(five_times) - load);
    let ratio = five / (times * once);
    let figure = format!("five sets at once take {:.0} % of five times one", ratio * 100.0);
    let reason = (ratio < COALESCED_RATIO).then(|| Code::Coalesced.reason(figure.as_str()));
    Judged { figure, reason, undecided: false, too_quick: false }
}

fn middle(times: &[f64]) -> f64 {
    median(times).unwrap_or(0.0)
}

/// Nothing is shown where loading is most of it; and where launches jitter by more than the work takes, that is the host's
/// doing, and asked again.
fn too_quick(one_line: &[f64], whole: &[f64]) -> Option<Judged> {
    let quickest = whole.iter().copied().fold(f64::MAX, f64::min);
    let slowest = one_line.iter().copied().fold(0.0, f64::max);
    let beyond = middle(whole) - middle(one_line);
    let undecided = beyond >= LEAST_SET_NS;
    let why = if undecided { "launches jitter too much" } else { "too quick" };
    let figure = || format!("{why} to tell: {:.1} ms beyond loading", beyond / 1e6);
    let is_short = quickest - slowest < LEAST_SET_NS;
    is_short.then(|| Judged { figure: figure(), reason: None, undecided, too_quick: true })
}

/// The same question to whole files: are all launches of one kind quicker than all of the other, and by more than `limit`?
pub fn recognises_files(one_line: &[f64], set: &[f64], copies: &[f64], limit: f64) -> Judged {
    let longer = if middle(set) > middle(copies) { set } else { copies };
    if let Some(too_quick) = too_quick(one_line, longer) {
        return too_quick;
    }
    let load = middle(one_line);
    let ratio = (middle(set) - load) / (middle(copies) - load);
    let figure = format!("the set as a file takes {ratio:.2} of its changed copy's time");
    let apart = |quick: &[f64], slow: &[f64]| quick.iter().all(|q| slow.iter().all(|s| q < s));
    let stands_out = !(limit..=1.0 / limit).contains(&ratio);
    let is_sure = apart(set, copies) || apart(copies, set);
    let reason = (stands_out && is_sure).then(|| Code::Recognises.reason(figure.as_str()));
    Judged { undecided: stands_out && !is_sure, figure, reason, too_quick: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_stats::Random;

    /// Lines of 5 to 24 words at about 100 µs a word, ±10 %, with a slow one now and then; `factor` of that.
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
            let judged = cached(&samples(2 * seed, 100, 1.0), &samples(2 * seed + 1, 100, 1.0));
            assert_eq!((judged.reason, judged.undecided), (None, false), "seed {seed}");
        }
        assert!(
            cached(&samples(1, 100, 1.0), &samples(2, 100, 0.9)).reason.is_none(),
            "warm caches of a CPU"
        );
    }

    #[test]
    fn repeats_that_take_less_are_a_cache() {
        for factor in [0.8, 0.5, 0.01] {
            let judged = cached(&samples(1, 100, 1.0), &samples(2, 100, factor));
            assert_eq!(judged.reason.expect("caught").code, Code::Cached, "{factor}");
        }
    }

    #[test]
    fn a_cache_of_every_third_line_is_one_too() {
        let mut repeats = samples(2, 100, 1.0);
        repeats.iter_mut().step_by(3).for_each(|sample| sample.ns /= 50);
        assert_eq!(cached(&samples(1, 100, 1.0), &repeats).reason.expect("caught").code, Code::Cached);
    }

    #[test]
    fn so_is_one_of_every_tenth_line_at_once() {
        let (set, mut known) = (samples(1, 120, 1.0), samples(2, 120, 1.0));
        known.iter_mut().step_by(10).for_each(|sample| sample.ns /= 50);
        let judged = recognises(&known, &set, SIGNIFICANT);
        let figure = judged.reason.expect("caught").figure;
        assert!(
            figure.starts_with("in 12 of 120 pairs a line of the set takes less than 33 % of"),
            "{figure}"
        );
        assert!(recognises(&set, &known, SIGNIFICANT).reason.is_some(), "either way");
    }

    #[test]
    fn lines_that_are_slow_on_either_side_are_the_hosts() {
        let slow = |seed, offset| {
            let mut samples = samples(seed, 120, 1.0);
            samples.iter_mut().skip(offset).step_by(10).for_each(|sample| sample.ns *= 20);
            samples
        };
        assert_eq!(recognises(&slow(1, 0), &slow(2, 5), SIGNIFICANT).reason, None);
    }

    #[test]
    fn a_few_microseconds_are_the_paths_own() {
        let scaled = |factor: f64| samples(1, 100, factor / 100.0);
        assert!(cached(&scaled(1.0), &scaled(0.5)).reason.is_none());
    }

    #[test]
    fn a_few_samples_leave_it_undecided() {
        let judged = cached(&samples(1, 3, 1.0), &samples(2, 3, 0.5));
        assert!(judged.reason.is_none() && judged.undecided, "{judged:?}");
    }

    #[test]
    fn known_sentences_are_recognised_by_a_tenth() {
        assert!(recognises(&samples(1, 200, 0.95), &samples(2, 200, 1.0), SIGNIFICANT).reason.is_none());
        let judged = recognises(&samples(1, 200, 0.8), &samples(2, 200, 1.0), SIGNIFICANT);
        assert_eq!(judged.reason.expect("caught").code, Code::Recognises);
    }

    #[test]
    fn pains_that_are_taken_with_known_sentences_alone_are_seen_as_well() {
        let judged = recognises(&samples(1, 200, 1.0), &samples(2, 200, 0.8), SIGNIFICANT);
        assert!(judged.reason.expect("caught").figure.starts_with("a changed copy takes 0.8"));
        let judged = recognises_files(&[0.0], &[2e9, 2.1e9, 1.9e9], &[1e9, 1.1e9, 0.9e9], RECOGNISED_RATIO);
        assert_eq!(judged.reason.expect("caught").code, Code::Recognises);
    }

    #[test]
    fn five_sets_take_five_times_as_long_or_are_coalesced() {
        let ms = |times: [f64; 3]| times.map(|time| time * 1e6);
        let load = ms([100.0, 101.0, 150.0]);
        let judged = |five: f64| {
            coalesced(&load, &ms([200.0, 201.0, 199.0]), 5.0, &ms([five, five + 1.0, five - 1.0]))
        };
        assert!(judged(601.0).reason.is_none());
        assert!(judged(500.0).reason.is_none(), "a smaller shortlist for the whole batch is honest");
        assert_eq!(judged(220.0).reason.expect("caught").code, Code::Coalesced);
        assert_eq!(judged(220.0).figure, "five sets at once take 24 % of five times one");
        let quick = coalesced(&load, &ms([102.0; 3]), 5.0, &ms([102.0; 3]));
        assert!(quick.too_quick && quick.reason.is_none() && quick.figure.starts_with("too quick to tell"));
        let jitter =
            coalesced(&ms([30.0, 30.0, 55.0]), &ms([45.0, 60.0, 50.0]), 5.0, &ms([46.0, 50.0, 61.0]));
        assert!(jitter.reason.is_none() && jitter.undecided && jitter.too_quick, "{jitter:?}");
        assert_eq!(jitter.figure, "launches jitter too much to tell: 20.0 ms beyond loading");
    }

    #[test]
    fn files_must_lie_apart_to_be_recognised() {
        let judged = recognises_files(&[0.0], &[1e9, 1.1e9, 0.9e9], &[2e9, 2.1e9, 1.9e9], RECOGNISED_RATIO);
        assert_eq!(judged.reason.expect("caught").code, Code::Recognises);
        let judged = recognises_files(&[0.0], &[1e9, 2.5e9, 0.9e9], &[2e9, 2.1e9, 1.9e9], RECOGNISED_RATIO);
        assert!(judged.reason.is_none() && judged.undecided);
        assert!(recognises_files(&[0.0], &[1.9e9; 3], &[2e9; 3], RECOGNISED_RATIO).reason.is_none());
    }
}
