//! What a round asks of a system: launches, and lines that don't count. Whoever predicts the time of a round counts by
//! these; how long the runs of the track server last is said by [`Runs`](super::server::Runs).

use dyno_record::{Exchange, Profile, Track};

use super::latency::OPENING_COPIES;
use super::part::Part;
use super::throughput::ONE_LINE_LAUNCHES;
use crate::TestSet;
use crate::constants::{LEAST_UNKNOWN, LINES_AN_UNKNOWN, unknown_of};
use crate::process::turns::lines_of_a_block;

/// Launches of a round of whole files beside the timed ones and those over one line: over fresh lines, and over filler
/// alone.
const COMPARED_LAUNCHES: usize = 2;
/// Launches of a cell's first round that look for the number of lines: over one line, and over the set.
const TRIAL_LAUNCHES: usize = 2;

/// Number of launches of a cell's round `number` over `set`, if nothing stands out. Of whole files one is timed here;
/// a system that is quick for the profile's least time has more.
pub fn launches(set: &TestSet, track: Track, profile: Profile, number: usize) -> usize {
    match track.exchange() {
        Exchange::Lines | Exchange::Pages => Part::all(track, profile, set.source.len()).count(),
        Exchange::Arrivals => 2, // another process gets copies again
        Exchange::File => {
            1 + ONE_LINE_LAUNCHES + COMPARED_LAUNCHES + if number == 0 { TRIAL_LAUNCHES } else { 0 }
        }
    }
}

/// Number of lines or pages that a round in lock-step asks beside those of `set`: warm-ups, unknown copies, and copies
/// that open a turn. Systems that take turns need `unit_ns` for a line or page each.
pub fn unscored_units(set: &TestSet, track: Track, profile: Profile, unit_ns: &[f64]) -> usize {
    let (units, lines) = (set.unit_count(track), set.source.len());
    let warm_up = profile.warm_up_lines().div_ceil((lines / units.max(1)).max(1));
    let of_part = |part: Part| warm_up.min(part.range(units).len()) + part.share(unknown_of(units));
    let turns = if unit_ns.len() > 1 { units.div_ceil(lines_of_a_block(unit_ns)) } else { 0 };
    Part::all(track, profile, lines).map(of_part).sum::<usize>() + turns * OPENING_COPIES
}

/// Seconds of the lines that don't count in a cell's round `number` of whole files: the fresh ones, and in the first
/// round a trial over the set. A timed launch takes `timed` seconds, and `pass` of them for each time over `set`.
pub fn unscored_seconds(set: &TestSet, number: usize, timed: f64, pass: f64) -> f64 {
    let least = pass * LEAST_UNKNOWN as f64 / set.source.len().max(1) as f64;
    let fresh = (timed / LINES_AN_UNKNOWN as f64).max(least);
    fresh + if number == 0 { pass } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(lines: usize) -> TestSet {
        TestSet::from_lines("set", vec!["a b c"; lines])
    }

    #[test]
    fn only_a_cells_first_round_of_whole_files_tries_the_number_of_lines() {
        let of = |track, number| launches(&set(400), track, Profile::Standard, number);
        assert_eq!([0, 1].map(|number| of(Track::ThroughputAll, number)), [8, 6]);
        assert_eq!([0, 1].map(|number| of(Track::Pages, number)), [4, 4], "as many as parts");
        assert_eq!(of(Track::Server, 0), 2, "one for the lines, and one for copies");
    }

    #[test]
    fn fresh_lines_are_a_twentieth_but_two_dozen_at_least_and_the_first_round_has_a_trial() {
        assert_eq!(unscored_seconds(&set(1000), 1, 40.0, 10.0), 2.0);
        assert_eq!(unscored_seconds(&set(48), 1, 10.0, 10.0), 5.0);
        assert_eq!(unscored_seconds(&set(48), 0, 10.0, 10.0), 15.0);
    }

    #[test]
    fn a_round_in_lock_step_has_a_warm_up_and_copies_in_each_part() {
        let of =
            |set: &TestSet, track, unit_ns: &[f64]| unscored_units(set, track, Profile::Standard, unit_ns);
        assert_eq!(of(&set(400), Track::Latency, &[]), 4 * (20 + 6));
        // Blocks of 30 lines: 60 ms at 2 ms a line.
        assert_eq!(of(&set(400), Track::Latency, &[2e6, 2e6]), 4 * (20 + 6) + 14 * 3);
        assert_eq!(of(&set(10), Track::Latency, &[]), 10 + 24);
        let pages = set(400).with_pages_of(8);
        assert_eq!(of(&pages, Track::Pages, &[]), 4 * (3 + 6), "24 lines of warm-up");
    }
}
