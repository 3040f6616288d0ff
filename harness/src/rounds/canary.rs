//! The canary: a fixed piece of work before and after each round. If it takes longer afterwards, the clock of
//! the core or the memory has changed beneath the round, whoever did that. It takes about 5 ms.

use std::hint::black_box;
use std::time::Instant;

use super::noise::CANARY_LIMIT;
use crate::os;

/// The stream's length: beyond the caches that a core has for itself.
const STREAM_BYTES: usize = 16 << 20;
/// Steps of the dependency chain: a multiplication and an addition each, about 4 cycles, so a quarter of a
/// millisecond.
const STEPS: u64 = 200_000;
/// The best of so many counts: an interrupt falls into some of them, never into all.
const CHAINS: usize = 8;
/// So often it sings after a round, at most.
const CHANCES: usize = 8;
/// Passes over the stream, of which the best counts.
const STREAMS: usize = 3;

/// Time of the chain and of the stream on the core where a round runs.
pub struct Canary {
    stream: Vec<u64>,
}

impl Canary {
    /// Memory for the stream.
    pub fn new() -> Self {
        // Written, so that it is memory and not one page of zeros over and over.
        Self { stream: (0..STREAM_BYTES as u64 / 8).collect() }
    }

    /// Nanoseconds of the chain and of the stream on `core`.
    pub fn sing(&self, core: usize) -> std::io::Result<[u64; 2]> {
        let work = || -> std::io::Result<[u64; 2]> {
            os::pin_thread(&[core])?;
            Ok([best(CHAINS, chain), best(STREAMS, || self.stream.iter().fold(0, |sum, x| sum ^ x))])
        };
        std::thread::scope(|scope| scope.spawn(work).join()).expect("the canary doesn't panic")
    }

    /// The best of three songs, to be held against later.
    pub fn sing_well(&self, core: usize) -> std::io::Result<[u64; 2]> {
        let songs = [self.sing(core)?, self.sing(core)?, self.sing(core)?];
        Ok([0, 1].map(|i| songs.iter().map(|song| song[i]).min().unwrap_or(0)))
    }

    /// Sings until both come near `before`, or have had their chances: what disturbs the canary for a moment is no
    /// drift, and what has drifted doesn't come back within milliseconds.
    pub fn sing_like(&self, before: [u64; 2], core: usize) -> std::io::Result<[u64; 2]> {
        let mut nearest = self.sing(core)?;
        for _ in 1..CHANCES {
            let again = self.sing(core)?;
            for i in 0..2 {
                if drift(again[i], before[i]) < drift(nearest[i], before[i]) {
                    nearest[i] = again[i];
                }
            }
            if (0..2).all(|i| drift(nearest[i], before[i]) < CANARY_LIMIT) {
                break;
            }
        }
        Ok(nearest)
    }
}

/// How far two times lie apart, as a share of the shorter.
pub fn drift(a: u64, b: u64) -> f64 {
    a.max(b) as f64 / a.min(b).max(1) as f64 - 1.0
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
