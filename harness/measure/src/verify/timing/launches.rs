//! Times of whole launches: whether a system saves work on repeated or known lines of a file.

use dyno_stats::median;

use super::judgement::Judgement;
use crate::rules::Code;
use crate::rules::limits::COALESCED_RATIO;

/// Least time by which the quickest launch over a file exceeds the slowest launch over one line. Below it,
/// jitter of the launches hides the work.
const LEAST_SET_NS: f64 = 10e6;

/// Whether five sets in one file take far less than `times` the work of the compared file. Each list holds
/// nanoseconds of whole launches: over one line (loading), over the compared file (`once`), over the five
/// sets.
pub fn coalesced(one_line: &[f64], once: &[f64], times: f64, five_times: &[f64]) -> Judgement {
    if let Some(too_quick) = too_quick(one_line, once) {
        return too_quick;
    }
    let load = median_or_zero(one_line);
    let (once, five) = (median_or_zero(once) - load, median_or_zero(five_times) - load);
    let ratio = five / (times * once);
    let figure = format!("five sets at once take {:.0} % of five times one", ratio * 100.0);
    let reason = (ratio < COALESCED_RATIO).then(|| Code::Coalesced.reason(figure.as_str()));
    Judgement { figure, reason, undecided: false, too_quick: false }
}

/// Median, or 0 of no times.
fn median_or_zero(times: &[f64]) -> f64 {
    median(times).unwrap_or(0.0)
}

/// Judgement if the work can't be seen beside loading. Either the work is too short; or the launches jitter
/// by more than the work, which is the host's doing and is asked again.
fn too_quick(one_line: &[f64], whole: &[f64]) -> Option<Judgement> {
    let quickest = whole.iter().copied().fold(f64::MAX, f64::min);
    let slowest = one_line.iter().copied().fold(0.0, f64::max);
    let beyond = median_or_zero(whole) - median_or_zero(one_line);
    let undecided = beyond >= LEAST_SET_NS;
    let why = if undecided { "launches jitter too much" } else { "too quick" };
    let figure = || format!("{why} to tell: {:.1} ms beyond loading", beyond / 1e6);
    let is_short = quickest - slowest < LEAST_SET_NS;
    is_short.then(|| Judgement { figure: figure(), reason: None, undecided, too_quick: true })
}

/// A launch over a file.
pub struct FileTime {
    /// Nanoseconds of the launch.
    pub ns: u64,
    /// Words of the file.
    pub words: usize,
}

/// Time per word of `timed`, as a share of the time per word of `fresh`. Loading is subtracted: the shortest
/// of `one_line` from the one, the longest from the other, so that jitter accuses no system. `None` if the
/// fresh lines take too little time to tell.
pub fn share_of_fresh(one_line: &[u64], timed: &FileTime, fresh: &FileTime) -> Option<f64> {
    let shortest = one_line.iter().min().copied().unwrap_or(0);
    let longest = one_line.iter().max().copied().unwrap_or(0);
    let fresh_ns = fresh.ns.saturating_sub(longest) as f64;
    let a_word = |ns: f64, words: usize| ns / words.max(1) as f64;
    let timed_ns = timed.ns.saturating_sub(shortest) as f64;
    (fresh_ns >= LEAST_SET_NS).then(|| a_word(timed_ns, timed.words) / a_word(fresh_ns, fresh.words))
}

/// Whether the system recognises the set as a file: all launches of one kind are quicker than all of the
/// other, by more than `limit`.
pub fn recognises_files(one_line: &[f64], set: &[f64], copies: &[f64], limit: f64) -> Judgement {
    let longer = if median_or_zero(set) > median_or_zero(copies) { set } else { copies };
    if let Some(too_quick) = too_quick(one_line, longer) {
        return too_quick;
    }
    let load = median_or_zero(one_line);
    let ratio = (median_or_zero(set) - load) / (median_or_zero(copies) - load);
    let figure = format!("the set as a file takes {ratio:.2} of its changed copy's time");
    let apart = |quick: &[f64], slow: &[f64]| quick.iter().all(|q| slow.iter().all(|s| q < s));
    let stands_out = !(limit..=1.0 / limit).contains(&ratio);
    let is_sure = apart(set, copies) || apart(copies, set);
    let reason = (stands_out && is_sure).then(|| Code::Recognises.reason(figure.as_str()));
    Judgement { undecided: stands_out && !is_sure, figure, reason, too_quick: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::limits::RECOGNISED_RATIO;

    #[test]
    fn five_sets_take_five_times_as_long_or_are_coalesced() {
        let ms = |times: [f64; 3]| times.map(|time| time * 1e6);
        let load = ms([100.0, 101.0, 150.0]);
        let judgement = |five: f64| {
            coalesced(&load, &ms([200.0, 201.0, 199.0]), 5.0, &ms([five, five + 1.0, five - 1.0]))
        };
        assert!(judgement(601.0).reason.is_none());
        assert!(judgement(500.0).reason.is_none(), "a smaller shortlist for the whole batch is honest");
        assert_eq!(judgement(220.0).reason.expect("caught").code, Code::Coalesced);
        assert_eq!(judgement(220.0).figure, "five sets at once take 24 % of five times one");
        let quick = coalesced(&load, &ms([102.0; 3]), 5.0, &ms([102.0; 3]));
        assert!(quick.too_quick && quick.reason.is_none() && quick.figure.starts_with("too quick to tell"));
        let jitter =
            coalesced(&ms([30.0, 30.0, 55.0]), &ms([45.0, 60.0, 50.0]), 5.0, &ms([46.0, 50.0, 61.0]));
        assert!(jitter.reason.is_none() && jitter.undecided && jitter.too_quick, "{jitter:?}");
        assert_eq!(jitter.figure, "launches jitter too much to tell: 20.0 ms beyond loading");
    }

    #[test]
    fn a_round_is_compared_with_fresh_lines_beyond_loading() {
        let time = |ms: u64, words: usize| FileTime { ns: ms * 1_000_000, words };
        let load = [100_000_000, 90_000_000, 110_000_000];
        let share = |round: u64, fresh: u64| share_of_fresh(&load, &time(round, 4000), &time(fresh, 200));
        assert_eq!(share(10_090, 610), Some(1.0), "2.5 ms a word in either");
        assert_eq!(share(1_090, 610), Some(0.1), "from a table");
        assert_eq!(share(90, 119), None, "9 ms of fresh lines prove nothing");
        assert_eq!(share(0, 120), Some(0.0));
    }

    #[test]
    fn a_memory_that_begins_late_shows_by_what_it_saves_at_whatever_occurrence_it_begins() {
        let (load, set_ms, words) = (100_000_000, 20, 200);
        for copies in [61, 100, 200, 800] {
            for begins in 6..=60_usize {
                let round_ms = set_ms * begins.min(copies) as u64; // what comes later takes no time
                let round = FileTime { ns: load + round_ms * 1_000_000, words: words * copies };
                let fresh = FileTime { ns: load + set_ms * 1_000_000, words };
                let share = share_of_fresh(&[load], &round, &fresh).expect("long enough");
                assert!((share - begins as f64 / copies as f64).abs() < 1e-9);
                assert_eq!(share < COALESCED_RATIO, 10 * begins < 6 * copies, "{begins} of {copies}");
            }
        }
    }

    #[test]
    fn a_changed_copy_that_is_far_quicker_than_the_set_is_recognition_too() {
        let judgement =
            recognises_files(&[0.0], &[2e9, 2.1e9, 1.9e9], &[1e9, 1.1e9, 0.9e9], RECOGNISED_RATIO);
        assert_eq!(judgement.reason.expect("caught").code, Code::Recognises);
    }

    #[test]
    fn files_are_recognised_only_if_all_their_launches_are_quicker() {
        let judgement =
            recognises_files(&[0.0], &[1e9, 1.1e9, 0.9e9], &[2e9, 2.1e9, 1.9e9], RECOGNISED_RATIO);
        assert_eq!(judgement.reason.expect("caught").code, Code::Recognises);
        let judgement =
            recognises_files(&[0.0], &[1e9, 2.5e9, 0.9e9], &[2e9, 2.1e9, 1.9e9], RECOGNISED_RATIO);
        assert!(judgement.reason.is_none() && judgement.undecided);
        assert!(recognises_files(&[0.0], &[1.9e9; 3], &[2e9; 3], RECOGNISED_RATIO).reason.is_none());
    }
}
