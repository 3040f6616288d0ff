//! Times of whole launches: whether a system saves work on repeated or known lines of a file.
//!
//! Launches come in turns: over one line (the time of loading), over the suspected file, over another file of
//! the same words. The order within a turn is drawn, so that a burst of other programs hits each of the three as
//! often. The judgement goes on from turn to turn until enough of them agree. An honest system is cleared by its
//! first turn in nearly all cases.

use dyno_record::Code;
use dyno_stats::median;

use super::sample::{Judgement, Sample};

/// Least time by which a launch over a file exceeds the slowest launch over one line. Below it, jitter of the
/// launches hides the work.
const LEAST_WORK_NS: u64 = 10_000_000;
/// Turns that must accuse a system. A turn of like files accuses in a quarter of cases where launches scatter by
/// a half; seven of eight do once in 2,600 times.
pub const ACCUSING_TURNS: usize = 7;
/// Turns among them that may clear it: a burst may hit the suspected file of a system that is quick there.
pub const CLEARING_TURNS: usize = 1;

/// One launch of each kind: over one line, over the suspected file, over the other file.
pub type Turn = [Sample; 3];

fn by_cpu(turns: &[Turn]) -> Vec<Turn> {
    turns.iter().map(|turn| turn.map(Sample::by_cpu)).collect()
}

/// State of a judgement after some turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// More turns are needed.
    Open,
    /// The suspected file takes less than it may.
    Accused,
    /// It takes as long as it should, or too little to tell.
    Cleared,
}

/// Standing after `turns`, by the clock or by CPU time: either may accuse, and both must clear. CPU time shows a
/// memory that bursts of other programs hide.
pub fn standing(turns: &[Turn], limit: f64) -> Standing {
    match [standing_of(turns, limit), standing_of(&by_cpu(turns), limit)] {
        [Standing::Accused, _] | [_, Standing::Accused] => Standing::Accused,
        [Standing::Cleared, Standing::Cleared] => Standing::Cleared,
        _ => Standing::Open,
    }
}

/// Whether the CPU times of `turns` accuse: other programs add nothing to CPU time.
fn is_certain(turns: &[Turn], limit: f64) -> bool {
    standing_of(&by_cpu(turns), limit) == Standing::Accused
}

/// A turn accuses if the suspected file takes less than `limit` of the other's time per word.
fn standing_of(turns: &[Turn], limit: f64) -> Standing {
    let accusing = turns.iter().filter(|turn| share(turns, turn).is_some_and(|share| share < limit)).count();
    let clearing = turns.len() - accusing;
    match () {
        () if clearing > CLEARING_TURNS || clearing >= accusing.max(1) => Standing::Cleared,
        () if accusing >= ACCUSING_TURNS => Standing::Accused,
        () => Standing::Open,
    }
}

/// Median share of the suspected file's time per word, if any turn tells one: of CPU time, where that accuses.
fn median_share(turns: &[Turn], limit: f64) -> Option<f64> {
    let turns = if is_certain(turns, limit) { by_cpu(turns) } else { turns.to_vec() };
    median(&turns.iter().filter_map(|turn| share(&turns, turn)).collect::<Vec<_>>())
}

fn share(turns: &[Turn], [_, suspect, other]: &Turn) -> Option<f64> {
    let one_line: Vec<u64> = turns.iter().map(|[one_line, ..]| one_line.ns).collect();
    share_of_other(&one_line, suspect, other)
}

/// Time per word of `suspect`, as a share of the time per word of `other`. Loading is subtracted: the shortest
/// of `one_line` from the one, the longest from the other, so that jitter accuses no system. `None` if the
/// other file takes too little time to tell.
pub fn share_of_other(one_line: &[u64], suspect: &Sample, other: &Sample) -> Option<f64> {
    let shortest = one_line.iter().min().copied().unwrap_or(0);
    let longest = one_line.iter().max().copied().unwrap_or(0);
    let beyond = |sample: &Sample, loading| Sample { ns: sample.ns.saturating_sub(loading), ..*sample };
    let (suspect, other) = (beyond(suspect, shortest), beyond(other, longest));
    (other.ns >= LEAST_WORK_NS).then(|| suspect.a_word() / other.a_word())
}

/// Judgement of `turns` that have ended: `code` if the suspected file is accused. `subject` and `reference` name
/// the two files.
pub fn judge(turns: &[Turn], limit: f64, code: Code, [subject, reference]: [&str; 2]) -> Judgement {
    let certain = is_certain(turns, limit);
    let Some(share) = median_share(turns, limit) else {
        let beyond = median(&turns.iter().map(work_ns).collect::<Vec<_>>()).unwrap_or(0.0);
        let figure = format!("too quick to tell: {:.1} ms beyond loading", beyond / 1e6);
        return Judgement { figure, too_quick: true, ..Judgement::default() };
    };
    let figure = format!("{subject} takes {:.0} % of {reference}", share * 100.0);
    let reason = (standing(turns, limit) == Standing::Accused).then(|| code.reason(figure.as_str()));
    Judgement { figure, reason, certain, ..Judgement::default() }
}

fn work_ns([one_line, _, other]: &Turn) -> f64 {
    other.ns.saturating_sub(one_line.ns) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_record::rules::limits::COALESCED_RATIO;
    use dyno_stats::Random;

    fn time(ms: f64, words: usize) -> Sample {
        Sample { ns: (ms * 1e6) as u64, cpu_ns: (ms * 1e6) as u64, words }
    }

    fn turn(suspect_ms: f64, other_ms: f64) -> Turn {
        [time(100.0, 10), time(suspect_ms, 1000), time(other_ms, 1000)]
    }

    /// The same turn of a system that waits and takes no CPU time.
    fn by_clock(turn: Turn) -> Turn {
        turn.map(|time| Sample { cpu_ns: 0, ..time })
    }

    /// Standing of a system whose turns `draw` gives, and the number of turns.
    fn settled(mut draw: impl FnMut() -> Turn) -> (Standing, Vec<Turn>) {
        let mut turns = Vec::new();
        loop {
            turns.push(draw());
            match standing(&turns, COALESCED_RATIO) {
                Standing::Open => {}
                settled => return (settled, turns),
            }
        }
    }

    #[test]
    fn a_first_turn_clears_and_seven_accuse() {
        assert_eq!(settled(|| turn(600.0, 610.0)).1.len(), 1);
        let (standing, turns) = settled(|| turn(200.0, 610.0));
        assert_eq!((standing, turns.len()), (Standing::Accused, ACCUSING_TURNS));
        assert_eq!(median_share(&turns, COALESCED_RATIO).map(|share| (share * 100.0).round()), Some(20.0));
        let smaller_shortlist = settled(|| turn(500.0, 610.0)).0;
        assert_eq!(smaller_shortlist, Standing::Cleared, "a smaller shortlist of a batch is honest");
    }

    #[test]
    fn one_burst_clears_no_cheat_after_its_first_turn_and_two_do() {
        let of = |slow: &[usize]| {
            let mut number = 0;
            settled(move || {
                number += 1;
                by_clock(turn(if slow.contains(&number) { 600.0 } else { 200.0 }, 610.0))
            })
        };
        assert_eq!(of(&[4]).0, Standing::Accused);
        assert_eq!(of(&[4, 6]).0, Standing::Cleared);
    }

    #[test]
    fn work_that_loading_hides_tells_nothing() {
        let judgement = judge(&[turn(105.0, 108.0)], COALESCED_RATIO, Code::Coalesced, ["a", "b"]);
        assert!(judgement.too_quick && judgement.figure == "too quick to tell: 8.0 ms beyond loading");
        assert_eq!(standing(&[turn(0.0, 108.0)], COALESCED_RATIO), Standing::Cleared);
    }

    /// A launch of `work_ms` beside loading, on a core that others take for most of the time: up to `burst_ms` more.
    fn disturbed(random: &mut Random, work_ms: f64, burst_ms: usize) -> Sample {
        let ms = 20.0 + work_ms;
        let taken = ms * random.below(1500) as f64 / 1e3 + random.below(burst_ms) as f64;
        Sample { ns: ((ms + taken) * 1e6) as u64, ..time(ms, 1000) }
    }

    fn accused(random: &mut Random, [suspect_ms, other_ms]: [f64; 2], burst_ms: usize) -> bool {
        let (standing, _) =
            settled(|| [0.0, suspect_ms, other_ms].map(|work_ms| disturbed(random, work_ms, burst_ms)));
        standing == Standing::Accused
    }

    #[test]
    fn a_busy_core_accuses_no_honest_system_however_little_it_works() {
        let mut random = Random::new(1, "bursts");
        for work_ms in [0.0, 1.0, 10.0, 100.0, 1000.0] {
            for burst_ms in [5, 40, 200] {
                let false_alarms =
                    (0..2000).filter(|_| accused(&mut random, [work_ms, work_ms], burst_ms)).count();
                assert_eq!(false_alarms, 0, "{work_ms} ms of work, bursts of {burst_ms} ms");
            }
        }
    }

    #[test]
    fn a_busy_core_hides_no_memory_for_long() {
        let mut random = Random::new(2, "bursts");
        let found = (0..500).filter(|_| accused(&mut random, [100.0, 1000.0], 40)).count();
        assert!(found >= 495, "{found} of 500");
    }

    #[test]
    fn what_the_clock_alone_tells_is_not_certain() {
        let judge = |turn| judge(&[turn; ACCUSING_TURNS], COALESCED_RATIO, Code::Coalesced, ["a", "b"]);
        let (clock, both) = (judge(by_clock(turn(200.0, 610.0))), judge(turn(200.0, 610.0)));
        assert!(clock.reason.is_some() && !clock.certain);
        assert!(both.reason.is_some() && both.certain);
    }

    #[test]
    fn a_memory_that_begins_late_shows_by_what_it_saves_at_whatever_occurrence_it_begins() {
        for copies in [61, 100, 200, 800] {
            for begins in 6..=60_usize {
                let round_ms = 20 * begins.min(copies); // what comes later takes no time
                let turn = [
                    time(100.0, 10),
                    time(100.0 + round_ms as f64, 200 * copies),
                    time(100.0 + (20 * copies) as f64, 200 * copies),
                ];
                let found = standing(&[turn; ACCUSING_TURNS], COALESCED_RATIO) == Standing::Accused;
                assert_eq!(found, 10 * begins < 6 * copies, "{begins} of {copies}");
            }
        }
    }
}
