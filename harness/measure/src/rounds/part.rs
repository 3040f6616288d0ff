//! The parts of a lock-step round, each with fresh processes.
//!
//! Where the kernel puts a process in memory decides how well its weights fit the caches. Two launches of one
//! program differ for as long as they live: with a model of 4 MB by 2.5 % (standard deviation of 30 launches
//! each beside the same partner, Zen 5), whatever the number of lines. So a round asks its lines of several
//! processes, one after another. A line is asked once, as before.

use std::ops::Range;

use dyno_record::{Profile, Track};

/// Least lines of a part: a launch and its warm-up must stay a minor part.
const LEAST_LINES: usize = 100;

/// A part of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    number: usize,
    of: usize,
}

impl Part {
    /// The parts of a round over `lines` lines. Tracks of whole files have launches of their own, and the
    /// search of the track `server` belongs to one process.
    pub fn all(track: Track, profile: Profile, lines: usize) -> impl Iterator<Item = Self> {
        let most = if track.is_lockstep() { profile.parts() } else { 1 };
        let of = most.min(lines / LEAST_LINES).max(1);
        (0..of).map(move |number| Self { number, of })
    }

    /// Its range of `whole` things.
    pub fn range(self, whole: usize) -> Range<usize> {
        self.number * whole / self.of..(self.number + 1) * whole / self.of
    }

    /// The part's share of at least `whole` things of the round.
    pub fn share(self, whole: usize) -> usize {
        whole.div_ceil(self.of)
    }

    /// Whether it is the round's last one.
    pub fn is_last(self) -> bool {
        self.number + 1 == self.of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_round_divide_its_lines() {
        let parts = |track, profile, lines| -> Vec<_> {
            Part::all(track, profile, lines).map(|part| part.range(lines)).collect()
        };
        assert_eq!(parts(Track::Latency, Profile::Standard, 402), [0..100, 100..201, 201..301, 301..402]);
        assert_eq!(parts(Track::LatencyAll, Profile::Official, 299), [0..149, 149..299]);
        let whole = [(Track::Latency, Profile::Quick), (Track::Throughput1, Profile::Standard)];
        for (track, profile) in whole.into_iter().chain([(Track::Server, Profile::Standard)]) {
            assert_eq!(parts(track, profile, 402).len(), 1, "{track}");
        }
        let ends: Vec<bool> = Part::all(Track::Latency, Profile::Standard, 400).map(Part::is_last).collect();
        assert_eq!(ends, [false, false, false, true]);
    }
}
