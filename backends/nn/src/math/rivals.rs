//! Marian's auto-tuner of 2018: a product that has its weights in two precisions, and takes whichever is faster.
//!
//! As there, both are timed in turn while lines are translated, a hundred times each for each size of a batch, with the
//! quantising of rows, and the faster one is used from then on. So what is computed depends on what was timed: a
//! translation isn't reproducible, which is why nothing uses it unless it is asked for.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// How often each of the two is timed (paper, 4.4).
const RUNS: u64 = 100;

/// Numbers of rows that are timed apart: each twice as many as the one before, at most.
const CLASSES: usize = 8;

/// Two ways through one product, by number of rows.
#[derive(Debug, Default)]
pub(super) struct Races([Race; CLASSES]);

/// Two ways for numbers of rows that count as the same.
#[derive(Debug, Default)]
pub(super) struct Race {
    /// Both ways' runs that were begun.
    begun: AtomicU64,
    /// Of each way, runs that ended, and their nanoseconds.
    ended: [AtomicU64; 2],
    nanoseconds: [AtomicU64; 2],
}

/// Which way to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// This one, to be timed.
    Timed(usize),
    /// This one, as it is faster.
    Settled(usize),
}

impl Races {
    pub(super) fn of(&self, rows: usize) -> &Race {
        let doublings = usize::BITS - rows.saturating_sub(1).leading_zeros();
        &self.0[(doublings as usize).min(CLASSES - 1)]
    }
}

impl Race {
    pub(super) fn turn(&self) -> Turn {
        let begun = self.begun.load(Relaxed);
        if begun < 2 * RUNS {
            self.begun.store(begun + 1, Relaxed); // where two workers count one run, another is timed
            return Turn::Timed((begun % 2) as usize);
        }
        let mean = |way: usize| {
            self.nanoseconds[way].load(Relaxed) as f64 / self.ended[way].load(Relaxed).max(1) as f64
        };
        Turn::Settled(usize::from(mean(1) < mean(0)))
    }

    pub(super) fn note(&self, way: usize, took: Duration) {
        self.nanoseconds[way].fetch_add(took.as_nanos() as u64, Relaxed);
        self.ended[way].fetch_add(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_timed_in_turn_and_then_the_faster_one_runs() {
        for (slow, fast) in [(0, 1), (1, 0)] {
            let races = Races::default();
            for run in 0..2 * RUNS as usize {
                let race = races.of(3);
                assert_eq!(race.turn(), Turn::Timed(run % 2));
                race.note(run % 2, Duration::from_nanos(if run % 2 == slow { 200 } else { 100 }));
            }
            assert_eq!(races.of(4).turn(), Turn::Settled(fast), "three rows count as four");
            assert_eq!(races.of(5).turn(), Turn::Timed(0), "five don't");
        }
    }
}
