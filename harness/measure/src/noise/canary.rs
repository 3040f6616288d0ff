//! The canary: a fixed piece of work before and after each round. If its times differ, the clock of the core
//! or the speed of the memory has changed during the round, for whatever reason. A sample takes about 5 ms.

use std::hint::black_box;
use std::time::Instant;

use crate::os;

/// Length of the stream: beyond the private caches of a core.
const STREAM_BYTES: usize = 16 << 20;
/// Steps of the dependency chain. A step is a multiplication and an addition, about 4 cycles; the chain takes
/// a quarter of a millisecond.
const STEPS: u64 = 200_000;
/// Number of chains, of which the best counts: an interrupt falls into some of them, never into all.
const CHAINS: usize = 8;
/// Passes over the stream, of which the best counts.
const STREAMS: usize = 3;

/// Fixed work, timed on the core of a round.
pub struct Canary {
    stream: Vec<u64>,
}

impl Default for Canary {
    fn default() -> Self {
        // Written values, so that the stream is memory and not one page of zeros over and over.
        Self { stream: (0..STREAM_BYTES as u64 / 8).collect() }
    }
}

impl Canary {
    /// Nanoseconds of the best of so many chains and of so many passes over the stream, on `core`.
    fn sample(&self, core: usize, chains: usize, streams: usize) -> std::io::Result<[u64; 2]> {
        let pass = || self.stream.iter().fold(0, |sum, x| sum ^ x);
        let work = || -> std::io::Result<[u64; 2]> {
            os::pin_thread(&[core])?;
            Ok([best(chains, chain), best(streams, pass)])
        };
        std::thread::scope(|scope| scope.spawn(work).join()).expect("the canary doesn't panic")
    }

    /// A sample that is quick enough for the beginning of every turn.
    pub fn sample_once(&self, core: usize) -> std::io::Result<[u64; 2]> {
        self.sample(core, CHAINS / 4, 1)
    }

    /// Three samples in a row. Differences between them are below the canary's resolution on this host.
    pub fn sample_three(&self, core: usize) -> std::io::Result<Samples> {
        let sample = || self.sample(core, CHAINS, STREAMS);
        Ok([sample()?, sample()?, sample()?])
    }
}

/// Nanoseconds of the chain and of the stream, for each sample.
pub type Samples = [[u64; 2]; 3];

/// Drift of the chain (`part` 0) or the stream (1): the gap between all samples before and all samples after,
/// as a share. A stream through a cache that other machines share varies by itself; then there is no gap.
pub fn drift(before: &Samples, after: &Samples, part: usize) -> f64 {
    let of = |samples: &Samples| samples.map(|sample| sample[part] as f64);
    let least = |samples| of(samples).into_iter().fold(f64::MAX, f64::min);
    let most = |samples| of(samples).into_iter().fold(1.0, f64::max);
    (least(after) / most(before)).max(least(before) / most(after)) - 1.0
}

/// Knuth's MMIX generator: each step needs the one before.
fn chain() -> u64 {
    let step = |x: u64, _| x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (0..STEPS).fold(1, step)
}

fn best(times: usize, work: impl Fn() -> u64) -> u64 {
    let once = |_| {
        let begin = Instant::now();
        black_box(work());
        begin.elapsed().as_nanos() as u64
    };
    (0..times).map(once).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_gap_between_before_and_after_is_a_drift() {
        let samples = |times: [u64; 3]| times.map(|time| [time, 5]);
        let gap = |before, after| (drift(&samples(before), &samples(after), 0) * 1000.0).round();
        assert_eq!(gap([100, 101, 102], [106, 107, 110]), 39.0, "106 against 102");
        assert_eq!(gap([110, 107, 106], [100, 102, 101]), 39.0, "faster is a drift, too");
        assert!(gap([100, 150, 120], [140, 110, 190]) < 0.0, "what varies by itself tells nothing");
        assert_eq!(drift(&samples([1, 2, 3]), &samples([9, 9, 9]), 1), 0.0);
    }
}
